package report_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/tracer/capturetest"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// labelled is the program with labels: four sets, in turn. The value of kind and the key
// value are keys that profiles use themselves.
func labelled() *capturetest.Program {
	p := program()
	p.Labels = []capture.Labels{"", `"handler"="/login" "user"="bob"`, `"handler"="/logout" "user"="bob"`,
		`"handler"="/login" "value"="x" "…"="2 more"`}
	return p
}

// The listing says how much time goroutines with which labels take, and -label chooses.
// Of 2000 runs each set has 500; those at no instruction of the program do not count.
func TestLabels(t *testing.T) {
	p := labelled()
	db := collected(t, p, 1, 2000, 8, "operands")
	golden(t, "labels.txt", report.List(db, p,
		report.ListOptions{N: 1, Secrets: true, Func: regexp.MustCompile("other"), Kind: regexp.MustCompile("^none$")}))
	all := report.List(db, p, report.ListOptions{}).Binaries[0]
	sum := uint64(0)
	for _, l := range all.Labels {
		sum += l.Interrupts
		if l.Interrupts < 400 || l.Interrupts > 500 {
			t.Errorf("labels %s: %d interrupts", l.Labels, l.Interrupts)
		}
	}
	if sum != all.Interrupts || len(all.Labels) != 4 {
		t.Errorf("%d interrupts by labels, in all %d", sum, all.Interrupts)
	}
	for re, want := range map[string][]int{"^handler=/login$": {1, 3}, "bob": {1, 2}, "=": {1, 2, 3}, "^…=2 more$": {3},
		"nobody": nil} {
		n := uint64(0)
		for _, i := range want {
			for _, l := range report.List(db, p, report.ListOptions{Secrets: true}).Binaries[0].Labels {
				if l.Labels == string(p.Labels[i]) {
					n += l.Interrupts
				}
			}
		}
		o := regexp.MustCompile(re)
		got := uint64(0)
		for _, b := range report.List(db, p, report.ListOptions{Label: o}).Binaries {
			got += b.Interrupts
		}
		if found := report.Find(db, p, report.FindOptions{Label: o}).Interrupts; got != n || found != n ||
			(n == 0) != (want == nil) {
			t.Errorf("-label %s: %d interrupts in the listing, %d in what find finds, want %d", re, got, found, n)
		}
	}
	// Goroutines together have what they have without labels.
	plain := collected(t, program(), 1, 2000, 8, "operands")
	without := report.List(plain, p, report.ListOptions{}).Binaries[0]
	for i, f := range all.Functions {
		for j, in := range f.Instructions {
			want := without.Functions[i].Instructions[j]
			for k, l := range in.Lists {
				if in.Interrupts != want.Interrupts || l.Samples != want.Lists[k].Samples || l.Rate == 1 && len(l.Rows) > 0 &&
					l.Rows[0] != want.Lists[k].Rows[0] {
					t.Errorf("%s: with labels %+v, without %+v", in.Instruction, l, want.Lists[k])
				}
			}
		}
	}
}

// Values of labels are masked, but stay apart.
func TestLabelsAreMasked(t *testing.T) {
	p := labelled()
	db := collected(t, p, 1, 2000, 8, "operands")
	var got []string
	for _, l := range report.List(db, p, report.ListOptions{}).Binaries[0].Labels {
		got = append(got, l.Labels)
	}
	text := strings.Join(got, "; ")
	for _, secret := range []string{"login", "logout", "bob", `"x"`} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is not masked: %s", secret, text)
		}
	}
	for _, want := range []string{`"handler"="(text 1)"`, `"handler"="(text 2)"`, `"user"="(text 1)"`, `"…"="2 more"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
	if strings.Count(text, `"handler"="(text 1)"`)+strings.Count(text, `"handler"="(text 2)"`) != 3 ||
		strings.Contains(text, `"user"="(text 2)"`) {
		t.Errorf("a value has two masks, or two values have one: %s", text)
	}
}

// The labels of goroutines are those of samples in profiles, and go tool pprof takes them.
func TestProfileWithLabels(t *testing.T) {
	p := labelled()
	db := collected(t, p, 1, 2000, 8, "operands")
	for secrets, want := range map[bool]map[string]bool{
		true: {"": true, "handler=/login user=bob": true, "handler=/logout user=bob": true,
			"handler=/login label value=x …=2 more": true},
	} {
		data := report.Profile(db.Binaries()[0], p, secrets)
		prof, err := profile.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		totals := map[string]int64{}
		for _, s := range prof.Sample {
			var keys []string
			for _, key := range []string{"handler", "user", "label value", "…"} {
				if v := s.Label[key]; len(v) > 0 {
					keys = append(keys, key+"="+v[0])
				}
			}
			totals[strings.Join(keys, " ")] += s.Value[0]
			if len(s.Label["value"]) != 1 || len(s.Label["kind"]) != 1 {
				t.Fatalf("the labels of a sample are %v", s.Label)
			}
		}
		sum, all := int64(0), int64(0)
		for labels, n := range totals {
			if sum += n; !want[labels] {
				t.Errorf("a sample has the labels %q", labels)
			}
		}
		for _, l := range db.Binaries()[0].Locations() {
			for _, list := range l.Lists {
				all += int64(list.Total())
			}
		}
		if sum != all || len(totals) != len(want) {
			t.Errorf("%d samples in the profile by labels %v, %d in the database", sum, totals, all)
		}
		name := filepath.Join(t.TempDir(), "values.pb.gz")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "tool", "pprof", "-top", "-tagfocus=handler=/logout", name).CombinedOutput()
		if err != nil || !strings.Contains(string(out),
			fmt.Sprintf("Showing nodes accounting for %d,", totals["handler=/logout user=bob"])) {
			t.Errorf("%v, want %d\n%s", err, totals["handler=/logout user=bob"], out)
		}
	}
	if text, err := profile.ParseData(report.Profile(db.Binaries()[0], p, false)); err != nil ||
		strings.Contains(text.String(), "bob") || strings.Contains(text.String(), "login") {
		t.Errorf("a label is not masked in the profile (%v)", err)
	}
}
