package rap_test

// This file runs a program whose hot ranges are known by construction, with trees of
// ranges on several Ps, and compares what pep ranges says with exact counts of the same
// run.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/machine/executable"
)

// A hidden is a run of the program.
type hidden struct {
	prog   string
	engine string
	region uint64 // address of the hot region
	files  string // pattern of its profiles
	events []tuple.Tuple
}

// runHidden runs the program with an engine, and with a trace of all its events beside.
func runHidden(t *testing.T, prog, engine string) *hidden {
	t.Helper()
	h := &hidden{prog: prog, engine: engine}
	dir := t.TempDir()
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=trace=t.trace,engine="+engine)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", engine, err, &stderr)
	}
	if _, err := fmt.Sscanf(string(out), "region %v", &h.region); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	h.files = filepath.Join(dir, "*.values.pb.gz")
	r, err := trace.Open(filepath.Join(dir, "t.trace"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return h
		}
		if err != nil {
			t.Fatal(err)
		}
		h.events = append(h.events, b.Tuples...)
	}
}

// ranges returns what pep ranges lists, and all ranges of the profile.
func (h *hidden) ranges(t *testing.T, hot float64) (table *report.RangeTable, words []profile.Word) {
	t.Helper()
	names, err := filepath.Glob(h.files)
	if err != nil || len(names) != 1 {
		t.Fatalf("profiles %q: %v", names, err)
	}
	f, err := profile.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	m, err := executable.OpenMemory(h.prog, f.BuildID)
	if err != nil {
		t.Fatal(err)
	}
	table, err = report.Ranges(f, report.RangesOptions{Hot: hot, Cover: []float64{.5}, Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	if table.Events != int64(len(h.events)) {
		t.Errorf("%s: %d events in the profile, and %d in the trace", h.engine, table.Events, len(h.events))
	}
	h.pprof(t, f, table)
	words, err = f.Words()
	if err != nil {
		t.Fatal(err)
	}
	return table, words
}

// pprof has go tool pprof read the nested ranges. It shows all events, and the hot ranges.
func (h *hidden) pprof(t *testing.T, f *profile.File, table *report.RangeTable) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ranges.pb.gz")
	if err := f.SaveStacks(name, []string{"events"}, table.Stacks()); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"-top", "-traces", "-tree"} {
		cmd := exec.Command("go", "tool", "pprof", how, "-unit=count", "-nodecount=100000", "-nodefraction=0",
			"-edgefraction=0", name)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		if want := fmt.Sprintf("Total samples = %d", table.Events); !strings.Contains(string(out), want) && how == "-traces" {
			t.Errorf("%s: want %s in\n%.500s", how, want, out)
		}
		sum := int64(0)
		for _, m := range regexp.MustCompile(`(?m)^ +(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+%`).FindAllStringSubmatch(
			string(out), -1) {
			n, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if how == "-top" && sum != table.Events {
			t.Errorf("pprof %s: the lines add up to %d events, want %d", how, sum, table.Events)
		}
		if r := table.Sources[0].Rows[0]; !strings.Contains(string(out), r.Text) {
			t.Errorf("pprof %s has no range %q", how, r.Text)
		}
	}
}

// trees returns how many trees became one.
func trees(t *testing.T, table *report.RangeTable) int {
	t.Helper()
	m := regexp.MustCompile(`(\d+) engines merged`).FindStringSubmatch(table.Profile.Comments[0])
	if m == nil {
		return 1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n + 1
}

// checkBounds compares every range of a profile with exact counts. The engine has an eps of 1 %
// and B = 4: a count is too low by at most eps·n/2 + 32 events for each tree (rap.Tree.Bound).
func (h *hidden) checkBounds(t *testing.T, words []profile.Word, trees int, view func(tuple.Tuple) tuple.Tuple) {
	t.Helper()
	sites := map[string]tuple.Tuple{} // by name of the tap: any of its events
	for _, p := range pepbuildtest.SiteTables(t, h.prog) {
		for i, tap := range p.Taps {
			sites[fmt.Sprintf("%s:%d:%d %s %s", filepath.Base(p.Files[tap.File]), tap.Line, tap.Col, tuple.Tag(tap.Tag),
				tap.Expr)] = tuple.New(tuple.Tag(tap.Tag), tuple.SiteBase(p.Path)+uint64(i), 0)
		}
	}
	exact := map[uint64][]uint64{} // words by PC, as the engine sees them
	for _, e := range h.events {
		e = view(e)
		exact[e.PC] = append(exact[e.PC], e.W)
	}
	for _, list := range exact {
		slices.Sort(list)
	}
	bound := int64(len(h.events))/200 + 1 + 32*int64(trees)
	checked, worst := 0, int64(0)
	for _, s := range profile.SumSites(words) {
		var key uint64
		if s.Site.Pool != "" {
			for pc := range exact {
				if (tuple.Tuple{PC: pc}).Tag().String() == s.Site.Kind {
					key = pc
				}
			}
		} else {
			key = view(sites[fmt.Sprintf("%s %s %s", s.Site.Pos, s.Site.Kind, s.Site.Expr)]).PC
		}
		list := exact[key]
		if int64(len(list)) != s.Count {
			t.Errorf("%s: %+v: %d events, want %d", h.engine, s.Site, s.Count, len(list))
		}
		for _, w := range s.Words {
			from, _ := slices.BinarySearch(list, w.Range.First)
			to := len(list)
			if w.Range.Last+1 != 0 {
				to, _ = slices.BinarySearch(list, w.Range.Last+1)
			}
			off := int64(to-from) - w.Within
			if off < 0 || off > bound {
				t.Errorf("%s: %+v, %+v: %d events, want %d less at most %d", h.engine, s.Site, *w.Range, w.Within, to-from, bound)
			}
			worst = max(worst, off)
			checked++
		}
	}
	if checked < 15 {
		t.Errorf("%s: only %d ranges were checked", h.engine, checked)
	}
	t.Logf("%s: %d events, %d trees, %d ranges, too low by %d at most; bound %d", h.engine, len(h.events), trees, checked,
		worst, bound)
}

// row returns the hot range of a source with the given ends.
func row(table *report.RangeTable, kind, expr string, first, last uint64) (report.RangeRow, bool) {
	for _, s := range table.Sources {
		if s.Kind != kind || expr != "" && s.Expr != expr {
			continue
		}
		for _, r := range s.Rows {
			if r.First == first && r.Last == last {
				return r, true
			}
		}
	}
	return report.RangeRow{}, false
}

// RAP-32: pep ranges finds the hot ranges of values, addresses and code, within the bound of
// the trees, and go tool pprof reads them as nested frames.
func TestRAP32_HiddenRangesAreFound(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/hidden/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module hidden\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const band, bandLen, regionLen = 0x5a000, 0x1000, 4096

	same := func(e tuple.Tuple) tuple.Tuple { return e }
	pooled := func(e tuple.Tuple) tuple.Tuple { return tuple.New(e.Tag(), tuple.PoolWords, e.W) }
	data := pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=args,addrs", "-pepfuncs=^main.(read|classify)$")
	several := false
	for _, x := range []struct {
		engine, expr string
		view         func(tuple.Tuple) tuple.Tuple
	}{{"rap(eps=1%)", "n", same}, {"rap(eps=1%,over=words)", "", pooled}} {
		h := runHidden(t, data, x.engine)
		table, words := h.ranges(t, .1)
		n := trees(t, table)
		several = several || n > 1
		h.checkBounds(t, words, n, x.view)
		if r, ok := row(table, "arg", x.expr, band, band+bandLen-1); !ok || x.expr != "" && r.Text != "[368640, 372735]" {
			t.Errorf("%s: the band is not found: %+v", x.engine, table.Sources)
		}
		if r, ok := row(table, "addr", "", h.region, h.region+regionLen-1); !ok ||
			!strings.HasPrefix(r.Where, "main.table+0x") {
			t.Errorf("%s: the region at %#x is not found: %+v", x.engine, h.region, table.Sources)
		}
	}
	if !several {
		t.Error("no two trees became one")
	}

	code := pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=edges", "-pepfuncs=^main.long$")
	l, err := executable.OpenLayout(code)
	if err != nil {
		t.Fatal(err)
	}
	addr := map[uint64]uint64{} // the lowest address of each tap
	for _, p := range slices.Backward(l.Places) {
		addr[p.PC] = p.Addr
	}
	lineOf := map[uint64]int{} // of the taps, by site
	for _, p := range pepbuildtest.SiteTables(t, code) {
		for i, tap := range p.Taps {
			lineOf[tuple.SiteBase(p.Path)+uint64(i)] = tap.Line
		}
	}
	lines := strings.Split(string(text), "\n")
	begin := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "the nest begins") }) + 1
	end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "the nest ends") }) + 1
	for engine, view := range map[string]func(tuple.Tuple) tuple.Tuple{
		"rap(eps=1%,over=sites)": func(e tuple.Tuple) tuple.Tuple { return tuple.New(e.Tag(), tuple.PoolSites, e.Site()) },
		"code:rap(over=words)":   func(e tuple.Tuple) tuple.Tuple { return tuple.New(e.Tag(), tuple.PoolCode, addr[e.PC]) },
	} {
		h := runHidden(t, code, engine)
		table, words := h.ranges(t, .1)
		h.checkBounds(t, words, max(trees(t, table), 4), view)
		inNest := func(e tuple.Tuple) bool { return begin <= lineOf[e.Site()] && lineOf[e.Site()] <= end }
		var inside, whole int64
		for _, e := range h.events {
			if inNest(e) {
				whole++
			}
		}
		for _, r := range table.Sources[0].Rows {
			// Ranges are aligned, so one at the edge of the nest also has taps beside.
			var of, all float64
			for _, e := range h.events {
				if w := view(e).W; r.First <= w && w <= r.Last {
					all++
					if inNest(e) {
						of++
					}
				}
			}
			if of < .9*all || !strings.HasPrefix(r.Text, "main.long main.go:") {
				t.Errorf("%s: a hot range is %q, of which %.0f of %.0f events are in the nest", engine, r.Text, of, all)
			}
			inside += r.Weight
		}
		if inside < whole*8/10 || inside > whole*11/10 || len(table.Sources[0].Rows) > 9 {
			t.Errorf("%s: hot ranges have %d events, and the nest on lines %d-%d has %d: %+v", engine, inside, begin, end, whole,
				table.Sources)
		}
	}
}
