package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/capturetest"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// program is a program with a few of everything.
func program() *capturetest.Program {
	p := &capturetest.Program{
		Functions: []capturetest.Function{
			{Name: "main.zeros", File: "testdata/zeros.go", Line: 5, Time: 0.7, Body: []capturetest.Instruction{
				// mov rcx, [rax+rdx*8]
				{Code: "48 8b 0c d0", Line: 7, Value: capturetest.Mostly(0, 0.9, capturetest.Below(4))},
				{Code: "48 85 c9", Line: 7, Value: capturetest.Mostly(0, 0.9, capturetest.Below(4))}, // test rcx, rcx
				{Code: "75 10", Line: 7, Value: capturetest.Mostly(1, 0.1, capturetest.Always(0))},   // jne
				{Code: "48 ff c2", Line: 6, Value: capturetest.Counter},                              // inc rdx
				// mov rbx, [rsp+8]
				{Code: "48 8b 5c 24 08", Line: 8, Inlined: "main.peek", Value: capturetest.Always(0xc000010000)},
				{Code: "4c 8b 07", Line: 9, Value: capturetest.Mostly(0x61626364, 0.5, capturetest.Below(1<<30))},  // mov r8, [rdi]
				{Code: "ff d1", Line: 10, Value: capturetest.Mostly(0x402000, 0.75, capturetest.Always(0x403000))}, // call rcx
				// vmovsd xmm1, [rax]
				{Code: "c5 fb 10 08", Line: 11, Value: capturetest.Always(0)},
			}},
			{Name: "main.other", File: "other.go", Line: 3, Time: 0.2, Body: []capturetest.Instruction{
				{Code: "90", Line: 4, Value: capturetest.Always(0)},
				{Code: "48 01 c8", Line: 5, Value: capturetest.Always(7)}, // add rax, rcx
			}},
		},
		Symbols: map[uint64]string{0x402000: "main.small", 0x403000: "main.large"},
	}
	p.Image.BuildID, p.Image.Path = "abcd", "app"
	return p
}

func collected(t *testing.T, p *capturetest.Program, seed uint64, runs, length int, modules string) *database.Database {
	t.Helper()
	name := filepath.Join(t.TempDir(), "app.recording")
	var b bytes.Buffer
	if err := p.Record(&b, seed, runs, length); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := database.Load([]string{name}, modules, p)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func textOf(t *testing.T, l listing.Listing) string {
	t.Helper()
	var b bytes.Buffer
	if err := listing.Text(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares a listing with a file.
func golden(t *testing.T, name string, l listing.Listing) {
	t.Helper()
	got := textOf(t, l)
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// VSAMP-18: the listing of Figure 1, with vtot, thld and nv.
func TestList(t *testing.T) {
	p := program()
	db := collected(t, p, 1, 2000, 8, "operands")
	golden(t, "list.txt", report.List(db, p, report.ListOptions{N: 3, Source: source.NewTree("")}))
	golden(t, "list-all.txt", report.List(db, p,
		report.ListOptions{Func: regexp.MustCompile("peek"), Kind: regexp.MustCompile("^(result|target)$"), Secrets: true}))
}

// A view has findings and the hottest instructions; nothing sampled is no reason to fail.
func TestView(t *testing.T) {
	p := program()
	db := collected(t, p, 1, 2000, 8, "operands")
	golden(t, "view.txt", report.NewView(db, p,
		report.ViewOptions{Head: "head", Find: report.FindOptions{N: 2}, Instructions: 4, Values: 2}))
	golden(t, "view-empty.txt", report.NewView(database.New(), p, report.ViewOptions{Instructions: 4}))
	// The hottest instructions are those of the listing, in another order.
	view := textOf(t, report.NewView(db, p, report.ViewOptions{Instructions: 100}))
	for _, f := range report.List(db, p, report.ListOptions{}).Binaries[0].Functions {
		for _, in := range f.Instructions {
			if hot := strings.Contains(view, listing.Percent(float64(in.Interrupts)/2000)+"  "+
				f.Func); hot != (in.Interrupts > 0) && in.Inlined == "" {
				t.Errorf("%s with %d interrupts: in the view %v:\n%s", in.Instruction, in.Interrupts, hot, view)
			}
		}
	}
}

// The listing of values that were just sampled says first what became of the interrupts.
func TestValues(t *testing.T) {
	p := program()
	db := collected(t, p, 1, 2000, 8, "operands")
	list := report.List(db, p, report.ListOptions{N: 3})
	sampling := report.Sampling{Interrupts: 100, Kernel: 10, Passed: 20, Missed: 5, Runs: 65, Dropped: 1,
		Stops: []report.Stop{{Reason: "lock", Runs: 3}, {Reason: "fault", Runs: 4}}}
	const want = "100 interrupts: 10 in the kernel, 20 not chosen, 5 at code not decoded yet, 65 runs, of which 1 were lost and 7 ended early\n"
	if d := cmp.Diff(want+textOf(t, list), textOf(t, &report.ValuesTable{Sampling: sampling, List: list})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	sampling.Passed = 0
	if text := sampling.String(); strings.Contains(text, "not chosen") {
		t.Errorf("without -every: %s", text)
	}
}

// Pointers and text are masked unless the user asks for them.
func TestSecretsAreMasked(t *testing.T) {
	p := program()
	db := collected(t, p, 1, 2000, 8, "operands")
	hidden := textOf(t, report.List(db, p, report.ListOptions{}))
	shown := textOf(t, report.List(db, p, report.ListOptions{Secrets: true}))
	for _, secret := range []string{"0xc000010000", "0x61626364"} {
		if strings.Contains(hidden, secret) || !strings.Contains(shown, secret) {
			t.Errorf("%s: in the listing %v, with -secrets %v, want false, true", secret, strings.Contains(hidden, secret),
				strings.Contains(shown, secret))
		}
	}
	if !strings.Contains(hidden, "(pointer)") || !strings.Contains(hidden, "(text)") {
		t.Errorf("a pointer or text is not masked:\n%s", hidden)
	}
	find := textOf(t, report.Find(db, p, report.FindOptions{}))
	few := textOf(t, report.Find(collected(t, program(), 1, 20, 1, "operands"), p, report.FindOptions{}))
	if !strings.Contains(few, "samples\nno value has so many: sample for longer, or select other functions\nscore: ") ||
		strings.Contains(find, "no value has") {
		t.Errorf("of a few samples:\n%s", few)
	}
	if strings.Contains(find, "0xc000010000") || strings.Contains(find, "0x61626364") {
		t.Errorf("find shows a secret:\n%s", find)
	}
	data := report.Profile(db.Binaries()[0], p, false)
	prof, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if text := prof.String(); strings.Contains(text, "0xc000010000") || strings.Contains(text, "0x61626364") {
		t.Errorf("the profile has a secret:\n%s", text)
	}
}

// A program whose processes execute code of the kernel, of shared objects and of their own making
// is one program: for find, and for a profile unless there are samples of two files.
func TestOneProgram(t *testing.T) {
	for _, test := range []struct {
		images  []string
		head    string
		profile string // an error, or a comment of the profile
	}{
		{[]string{"/bin/app", "[vdso]"}, "interrupts in 1 program,", "1000 interrupts in [vdso] left out"},
		{[]string{"/bin/app", "[vdso]", "[anonymous]"}, "interrupts in 1 program,",
			"1000 interrupts in [anonymous] left out"},
		{[]string{"/bin/app", "/lib/libc.so.6"}, "interrupts in 1 program,", "samples of 2 programs or shared objects"},
		{[]string{"/bin/app", "/lib/plugin.so", "[vdso]"}, "interrupts in 1 program,",
			"samples of 2 programs or shared objects"},
		{[]string{"/bin/app", "/bin/some.sorter"}, "interrupts in 2 programs,", "samples of 2 programs or shared objects"},
		{[]string{"[vdso]"}, "interrupts in 0 programs,", "1000 interrupts, 0 lost"},
	} {
		db := database.New()
		var p *capturetest.Program
		for _, image := range test.images {
			p = &capturetest.Program{Functions: []capturetest.Function{
				{Name: "main.f", Line: 1, Time: 1, Body: []capturetest.Instruction{{Code: "48 8b 0c d0", Line: 2,
					Value: capturetest.Always(1)}}},
			}}
			p.Image.Path = image
			if err := db.Merge(collected(t, p, 1, 1000, 1, "operands")); err != nil {
				t.Fatal(err)
			}
		}
		if text := textOf(t, report.Find(db, p, report.FindOptions{})); !strings.Contains(text, test.head) {
			t.Errorf("%v: find prints %s, want %q", test.images, text, test.head)
		}
		b, err := report.One(db)
		got := fmt.Sprint(err)
		if err == nil {
			prof, err := profile.ParseData(report.Profile(b, p, false))
			if err != nil {
				t.Fatal(err)
			}
			got = prof.String()
		}
		if !strings.Contains(got, test.profile) {
			t.Errorf("%v: the profile is %s, want %q", test.images, got, test.profile)
		}
	}
}

// VSAMP-26: the finder has the hidden invariant among its first three, in three programs,
// with ten seeds each.
func TestFindHidden(t *testing.T) {
	for which := range 3 {
		for seed := range uint64(10) {
			p, function, line := capturetest.Hidden(which, seed)
			db := collected(t, p, seed, 4000, 8, "operands")
			found := report.Find(db, p, report.FindOptions{})
			rank := 0
			seen := map[string]bool{}
			for _, r := range found.Rows {
				atLine, value := fmt.Sprint("line ", r.Line), r.Func+" "+r.Value
				if seen[atLine] || seen[value] {
					t.Errorf("program %d, seed %d: %s is there twice, or %s", which, seed, atLine, value)
				}
				seen[atLine], seen[value] = true, true
				if r.Func == function && r.Line == line && rank == 0 {
					rank = r.Rank
				}
			}
			t.Logf("program %d, seed %d: rank %d of %d", which, seed, rank, len(found.Rows))
			if rank < 1 || rank > 3 {
				t.Errorf("program %d, seed %d: %s:%d has the rank %d of %d, want 1 to 3\n%s", which, seed, function, line, rank,
					len(found.Rows), textOf(t, report.Find(db, p, report.FindOptions{N: 6})))
			}
		}
	}
}

// A value that is all of 60 samples ranks below one that is 97% of thousands.
func TestFewSamplesRankLow(t *testing.T) {
	nops := make([]capturetest.Instruction, 200)
	for i := range nops {
		nops[i] = capturetest.Instruction{Code: "90", Line: 10, Value: capturetest.Always(0)}
	}
	p := &capturetest.Program{Functions: []capturetest.Function{
		{Name: "often", Line: 1, Time: 0.5, Body: []capturetest.Instruction{{Code: "48 8b 0c d0", Line: 2,
			Value: capturetest.Mostly(7, 0.98, capturetest.Always(1))}, nops[0]}},
		{Name: "seldom", Line: 9, Time: 0.5, Body: append(nops,
			capturetest.Instruction{Code: "48 8b 0c d0", Line: 11, Value: capturetest.Always(5)})},
	}}
	db := collected(t, p, 1, 3000, 8, "operands")
	rows := report.Find(db, p, report.FindOptions{}).Rows
	if len(rows) != 2 || rows[0].Func != "often" || rows[1].Invariance != 1 || rows[1].Samples > 100 {
		t.Errorf("got %+v, want first often, and then seldom with less than 100 samples and an invariance of 1", rows)
	}
}

// With few samples the bound of the invariance is low, though all of them agree, and the
// bound holds: it is above the true probability in less than a part of all cases.
func TestInvarianceIsBounded(t *testing.T) {
	const runs, share = 400, 0.8
	wrong := 0
	for seed := range uint64(runs) {
		p := &capturetest.Program{Functions: []capturetest.Function{{Name: "f", Line: 1, Time: 1,
			Body: []capturetest.Instruction{
				{Code: "48 8b 0c d0", Line: 2, Value: capturetest.Mostly(0, share, capturetest.Below(1<<50))},
				{Code: "90", Line: 2, Value: capturetest.Always(0)},
			}}}}
		db := collected(t, p, seed, 100+int(seed), 2, "operands")
		r := report.Find(db, p, report.FindOptions{}).Rows[0]
		if r.Least > share {
			wrong++
		}
		if r.Least > r.Invariance+1e-9 || r.Least <= 0 {
			t.Errorf("seed %d: invariance %v, at least %v", seed, r.Invariance, r.Least)
		}
	}
	// 5% may be wrong. The limit is 4.5 standard deviations above: a binomial number is beyond it
	// with a probability below 1e-5.
	t.Logf("%d of %d bounds are wrong", wrong, runs)
	if wrong > 20+20 {
		t.Errorf("%d of %d lower bounds are above the truth, want at most 40", wrong, runs)
	}
}

// VSAMP-31: go tool pprof shows the most frequent values of instructions as tags.
func TestProfile(t *testing.T) {
	p := program()
	db := collected(t, p, 1, 2000, 8, "operands")
	data := report.Profile(db.Binaries()[0], p, true)
	prof, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := prof.CheckValid(); err != nil {
		t.Error(err)
	}
	if m := prof.Mapping[0]; m.File != "app" || m.BuildID != "abcd" {
		t.Errorf("mapping %+v, want app, abcd", m)
	}
	// The samples of an instruction add up to its total.
	totals := map[string]int64{}
	for _, s := range prof.Sample {
		totals[s.Label["expr"][0]+" "+s.Label["kind"][0]] += s.Value[0]
	}
	for _, l := range report.List(db, p, report.ListOptions{}).Binaries[0].Functions {
		for _, in := range l.Instructions {
			for _, x := range in.Lists {
				key := fmt.Sprintf("%#x %s %s", in.PC, in.Instruction, x.Kind)
				if totals[key] != int64(x.Samples) {
					t.Errorf("%s: %d samples in the profile, want %d", key, totals[key], x.Samples)
				}
				delete(totals, key)
			}
		}
	}
	if len(totals) > 0 {
		t.Errorf("the profile has also %v", totals)
	}

	name := filepath.Join(t.TempDir(), "app.values.pb.gz")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-tags", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`0x401000 MOVQ 0\(AX\)\(DX\*8\), CX=0\b`, `0x401014 CALL CX=main\.small`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("go tool pprof -tags does not show %s:\n%s", want, out)
		}
	}
	out, err = exec.Command("go", "tool", "pprof", "-top", "-tagfocus=value=CALL CX=main.small", name).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "main.zeros") || strings.Contains(string(out), "main.other") {
		t.Errorf("go tool pprof -top of a value: %v\n%s", err, out)
	}
}

// A value in three instructions is shown where it is loaded from a variable, or else from the stack.
func TestWhichOfEqualInstructions(t *testing.T) {
	five := func(code string, line int) capturetest.Instruction {
		return capturetest.Instruction{Code: code, Line: line, Value: capturetest.Always(5)}
	}
	moved, stack, variable := five("48 89 d9", 7), five("48 8b 5c 24 08", 8), five("48 8b 0c d0", 9)
	for line, body := range map[int][]capturetest.Instruction{8: {moved, stack}, 9: {moved, stack, variable}} {
		p := program()
		p.Functions[0].Body = body
		found := report.Find(collected(t, p, 1, 2000, 8, "operands"), p,
			report.FindOptions{Func: regexp.MustCompile("zeros")})
		if len(found.Rows) != 1 || found.Rows[0].Line != line {
			t.Errorf("%+v, want one row, of line %d", found.Rows, line)
		}
	}
}
