package database_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

// list is a source of runs that are there already. It loses a run before each.
type list struct {
	runs []capture.Run
	lost uint64
}

func (l *list) Next(r *capture.Run) error {
	if len(l.runs) == 0 {
		return io.EOF
	}
	*r, l.runs = l.runs[0], l.runs[1:]
	l.lost++
	return nil
}

func (l *list) Lost() uint64 { return l.lost }

// parity is a module of a user: of loads, it samples whether the loaded word is odd.
type parity struct{}

// parityFields has the fields of all tuples that parity got.
var parityFields capture.Fields

func (parity) Capture(in *capture.Instruction) capture.Want {
	if in.Memory == capture.Load {
		return capture.Want{Fields: capture.Result}
	}
	return capture.Want{}
}

func (parity) Transform(r *capture.Run, emit func(capture.Sample)) {
	for _, t := range r.Tuples {
		parityFields |= t.Known
		if t.Known&capture.Result != 0 {
			emit(capture.Sample{Insn: t.Insn, Kind: "parity", Value: capture.Value{Word: t.Result & 1}})
		}
	}
}

func (parity) Format(_ *capture.Instruction, _ string, v capture.Value) string {
	return []string{"even", "odd"}[v.Word]
}

// whole is a module that checks that it gets all of each run in order.
type whole struct {
	t    *testing.T
	runs []capture.Run
	next int
}

func (*whole) Capture(*capture.Instruction) capture.Want {
	return capture.Want{Fields: capture.AllFields}
}

func (w *whole) Transform(r *capture.Run, emit func(capture.Sample)) {
	if d := cmp.Diff(w.runs[w.next].Tuples, append([]capture.Tuple(nil), r.Tuples...)); d != "" {
		w.t.Errorf("run %d (-recorded +module's):\n%s", w.next, d)
	}
	w.next++
	for i, t := range r.Tuples {
		emit(capture.Sample{Insn: t.Insn, Kind: "number",
			Value: capture.Value{Context: uint64(i), Word: uint64(len(r.Tuples))}})
	}
}

func (*whole) Format(*capture.Instruction, string, capture.Value) string { return "" }

// someRuns returns runs over a number of images, each with loads and stores of words below
// values.
func someRuns(seed uint64, n, images int, values uint64) (runs []capture.Run) {
	random := rand.New(rand.NewPCG(seed, 1))
	var insns []*capture.Instruction
	for i := range images {
		image := &capture.Image{BuildID: fmt.Sprintf("ab%02x", i), Path: fmt.Sprintf("/usr/bin/app%d", i)}
		for pc := range uint64(20) {
			insns = append(insns, &capture.Instruction{Image: image, PC: 0x1000 + 4*pc, Code: []byte{0x48, 0x89, byte(pc), 0xc0},
				Memory: capture.Load + capture.Access(pc%2), Width: 8})
		}
	}
	for range n {
		at := random.IntN(len(insns) - 10)
		r := capture.Run{PID: 7, At: insns[at]}
		if random.IntN(10) == 0 {
			r.At = nil
		}
		for i := range random.IntN(10) {
			r.Tuples = append(r.Tuples, capture.Tuple{Insn: insns[at+i], Known: capture.Result | capture.Addr,
				Result: random.Uint64N(values)})
		}
		runs = append(runs, r)
	}
	return runs
}

type key struct {
	build string
	pc    uint64
	kind  string
}

// expected counts what a database of runs and the module parity has to have.
func expected(runs []capture.Run) (counts map[key]map[uint64]uint64, interrupts map[key]uint64) {
	counts, interrupts = map[key]map[uint64]uint64{}, map[key]uint64{}
	for _, r := range runs {
		if r.At != nil {
			interrupts[key{r.At.Image.BuildID, r.At.PC, ""}]++
		}
		for _, t := range r.Tuples {
			if t.Insn.Memory != capture.Load {
				continue
			}
			k := key{t.Insn.Image.BuildID, t.Insn.PC, "parity"}
			if counts[k] == nil {
				counts[k] = map[uint64]uint64{}
			}
			counts[k][t.Result&1]++
		}
	}
	return counts, interrupts
}

// contents returns what a database has, in the form of expected.
func contents(db *database.Database) (counts map[key]map[uint64]uint64, interrupts map[key]uint64) {
	counts, interrupts = map[key]map[uint64]uint64{}, map[key]uint64{}
	for _, b := range db.Binaries() {
		for _, l := range b.Locations() {
			if l.Interrupts > 0 {
				interrupts[key{b.Image.BuildID, l.Insn.PC, ""}] = l.Interrupts
			}
			for kind, list := range l.Lists {
				k := key{b.Image.BuildID, l.Insn.PC, kind}
				counts[k] = map[uint64]uint64{}
				for _, e := range list.Top() {
					counts[k][e.Value.Word] = e.Count
				}
			}
		}
	}
	return counts, interrupts
}

func same(t *testing.T, what string, db *database.Database, runs []capture.Run) {
	t.Helper()
	wantCounts, wantInterrupts := expected(runs)
	counts, interrupts := contents(db)
	if d := cmp.Diff(wantCounts, counts); d != "" {
		t.Errorf("%s: counts (-want +got):\n%s", what, d)
	}
	if d := cmp.Diff(wantInterrupts, interrupts); d != "" {
		t.Errorf("%s: interrupts (-want +got):\n%s", what, d)
	}
}

func collect(t *testing.T, runs []capture.Run, modules ...capture.Module) *database.Database {
	t.Helper()
	db := database.New()
	if err := db.Collect(&list{runs: runs}, modules,
		database.Settings{Interval: 1000, Comment: "made by a test"}); err != nil {
		t.Fatal(err)
	}
	return db
}

// VSAMP-15: a module of the user's, together with another one that wants more. VSAMP-16:
// each gets the tuples of a run at once and in order.
func TestCollect(t *testing.T) {
	runs := someRuns(1, 500, 2, 1000)
	w := &whole{t: t, runs: runs}
	db := collect(t, runs, parity{}, w)
	if parityFields != capture.Result {
		t.Errorf("parity got the fields %b, want those that it wants, %b", parityFields, capture.Result)
	}
	if w.next != len(runs) {
		t.Errorf("the module saw %d runs, want %d", w.next, len(runs))
	}
	elsewhere := uint64(0)
	for _, r := range runs {
		if r.At == nil {
			elsewhere++
		}
	}
	if db.Elsewhere != elsewhere {
		t.Errorf("%d runs began in no image, want %d", db.Elsewhere, elsewhere)
	}
	for _, b := range db.Binaries() {
		if b.Interval != 1000 || b.Lost != 500 || !slices.Equal(b.Comments, []string{"made by a test"}) {
			t.Errorf("%s: interval %d, lost %d, comments %q, want 1000, 500, the test's", b.Image.Path, b.Interval, b.Lost,
				b.Comments)
		}
		for _, l := range b.Locations() {
			delete(l.Lists, "number")
		}
	}
	same(t, "collected", db, runs)
}

// VSAMP-09: two runs of a program merged have the samples of both. VSAMP-29: there is a file
// for each binary.
func TestSaveMergesRunsByBinary(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "values")
	first, second := someRuns(1, 300, 2, 1000), someRuns(2, 400, 2, 1000)
	files, err := collect(t, first, parity{}).Save(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v, want two", files, err)
	}
	again, err := collect(t, second, parity{}).Save(dir)
	slices.Sort(files)
	slices.Sort(again)
	if err != nil || !slices.Equal(again, files) || filepath.Base(files[0]) != "app0.ab00.hotlists" {
		t.Fatalf("files of the second run are %q, %v, want %q", again, err, files)
	}
	both, err := database.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "merged", both, append(first, second...))
	for i, name := range files {
		one, err := database.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if b := one.Binaries(); len(b) != 1 || b[0].Image.Path != fmt.Sprintf("/usr/bin/app%d", i) || b[0].Lost != 700 {
			t.Errorf("%s: got %+v", name, b)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v, want 0600", name, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Many that save into one directory at the same time lose nothing.
func TestSaveAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	var all []capture.Run
	var savers sync.WaitGroup
	for seed := range uint64(16) {
		runs := someRuns(seed, 200, 2, 1000)
		all = append(all, runs...)
		db := collect(t, runs, parity{})
		savers.Go(func() {
			if _, err := db.Save(dir); err != nil {
				t.Error(err)
			}
		})
	}
	savers.Wait()
	sum, err := database.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "saved at the same time", sum, all)
}

// Lists with many values keep their totals, and files keep lists as they are.
func TestFilesKeepLists(t *testing.T) {
	values := &words{}
	db := collect(t, someRuns(3, 3000, 1, 1<<40), values)
	read := roundTrip(t, db)
	high := 0
	for i, l := range db.Binaries()[0].Locations() {
		got := read.Binaries()[0].Locations()[i]
		if got.Insn.PC != l.Insn.PC {
			t.Fatalf("no location at %#x", l.Insn.PC)
		}
		in := *got.Insn
		in.Image = l.Insn.Image
		if d := cmp.Diff(l.Insn, &in); d != "" {
			t.Errorf("instruction (-want +got):\n%s", d)
		}
		a, b := l.Lists["word"], got.Lists["word"]
		if (a == nil) != (b == nil) || a != nil &&
			(a.Total() != b.Total() || a.Level() != b.Level() || !slices.Equal(a.Top(), b.Top())) {
			t.Errorf("%#x: a list has changed in the file", l.Insn.PC)
		}
		if a != nil && a.Level() > 0 {
			high++
		}
	}
	if high == 0 {
		t.Error("no list has lowered its rate: the test is too small")
	}
	total := func(db *database.Database) (n uint64) {
		for _, l := range db.Binaries()[0].Locations() {
			if list := l.Lists["word"]; list != nil {
				n += list.Total()
			}
		}
		return n
	}
	want := total(db) + total(read)
	if err := db.Merge(read); err != nil || total(db) != want {
		t.Errorf("merged: %d samples, %v, want %d", total(db), err, want)
	}
	if total(read)*2 != want {
		t.Error("Merge has changed its argument")
	}
}

// words is a module that samples all results.
type words struct{}

func (*words) Capture(*capture.Instruction) capture.Want { return capture.Want{Fields: capture.Result} }
func (*words) Transform(r *capture.Run, emit func(capture.Sample)) {
	for _, t := range r.Tuples {
		emit(capture.Sample{Insn: t.Insn, Kind: "word", Value: capture.Value{Word: t.Result}})
	}
}
func (*words) Format(*capture.Instruction, string, capture.Value) string { return "" }

func roundTrip(t *testing.T, db *database.Database) *database.Database {
	t.Helper()
	read, err := database.Read(bytes.NewReader(encode(t, db)))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func encode(t testing.TB, db *database.Database) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := db.Binaries()[0].Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The same recording makes the same bytes.
func TestDatabasesAreReproducible(t *testing.T) {
	a := encode(t, collect(t, someRuns(5, 2000, 1, 1<<40), &words{}))
	b := encode(t, collect(t, someRuns(5, 2000, 1, 1<<40), &words{}))
	if !bytes.Equal(a, b) {
		t.Error("two databases of one recording differ")
	}
}

func TestOtherIntervalsAreNotMerged(t *testing.T) {
	a, b := collect(t, someRuns(1, 10, 1, 2), parity{}), database.New()
	if err := b.Collect(&list{runs: someRuns(1, 10, 1, 2)}, nil, database.Settings{Interval: 7}); err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(b); err == nil || !strings.Contains(err.Error(), "every 7 ns, and here every 1000 ns") {
		t.Errorf("got error %v", err)
	}
}
