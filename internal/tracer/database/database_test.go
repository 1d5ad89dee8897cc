package database_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/chunk"
	"github.com/pepgo/pep/internal/tracer/database"
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

func (parity) Capture(in *capture.Instruction) capture.Want {
	if in.Memory == capture.Load {
		return capture.Want{Fields: capture.Result}
	}
	return capture.Want{}
}

func (parity) Transform(r *capture.Run, emit func(capture.Sample)) {
	for _, t := range r.Tuples {
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
		emit(capture.Sample{Insn: t.Insn, Kind: "number", Value: capture.Value{Context: uint64(i), Word: uint64(len(r.Tuples))}})
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
			insns = append(insns, &capture.Instruction{Image: image, PC: 0x1000 + 4*pc, Code: []byte{0x48, 0x89, byte(pc), 0xc0}, Memory: capture.Load + capture.Access(pc%2), Width: 8})
		}
	}
	for range n {
		at := random.IntN(len(insns) - 10)
		r := capture.Run{PID: 7, At: insns[at]}
		if random.IntN(10) == 0 {
			r.At = nil
		}
		for i := range random.IntN(10) {
			r.Tuples = append(r.Tuples, capture.Tuple{Insn: insns[at+i], Known: capture.Result, Result: random.Uint64N(values)})
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
	if err := db.Collect(&list{runs: runs}, modules, database.Settings{Interval: 1000, Comment: "made by a test"}); err != nil {
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
			t.Errorf("%s: interval %d, lost %d, comments %q, want 1000, 500, the test's", b.Image.Path, b.Interval, b.Lost, b.Comments)
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

// Lists with many values keep their totals, and files keep lists as they are.
func TestFilesKeepLists(t *testing.T) {
	values := &words{}
	db := collect(t, someRuns(3, 3000, 1, 1<<40), values)
	read := roundTrip(t, db)
	high := 0
	for _, l := range db.Binaries()[0].Locations() {
		got := read.Binaries()[0].At(l.Insn.PC)
		if got == nil {
			t.Fatalf("no location at %#x", l.Insn.PC)
		}
		in := *got.Insn
		in.Image = l.Insn.Image
		if d := cmp.Diff(l.Insn, &in); d != "" {
			t.Errorf("instruction (-want +got):\n%s", d)
		}
		a, b := l.Lists["word"], got.Lists["word"]
		if (a == nil) != (b == nil) || a != nil && (a.Total() != b.Total() || a.Level() != b.Level() || !slices.Equal(a.Top(), b.Top())) {
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

func TestFileNames(t *testing.T) {
	names := map[string]bool{}
	for _, image := range []capture.Image{
		{BuildID: "00ff", Path: "/bin/app"}, {BuildID: "00fe", Path: "/bin/app"},
		{BuildID: "a/b", Path: "/bin/app"}, {BuildID: "a_b", Path: "/bin/app"}, {BuildID: "a.b", Path: "/bin/app"},
		{Path: "/bin/app"}, {Path: "/usr/bin/app"}, {BuildID: "../../x", Path: "../.."}, {BuildID: strings.Repeat("f", 300), Path: strings.Repeat("x", 300)},
	} {
		name := (&database.Binary{Image: &image}).FileName()
		if names[name] || len(name) > 140 || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".hotlists") {
			t.Errorf("%+v: the name %q is taken, too long or no name", image, name)
		}
		names[name] = true
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := database.Open(dir); err == nil || !strings.Contains(err.Error(), "has no files *.hotlists") {
		t.Errorf("an empty directory: got error %v", err)
	}
	name := filepath.Join(dir, "x.hotlists")
	if _, err := database.Open(name); err == nil {
		t.Error("no file: got no error")
	}
	if err := os.WriteFile(name, []byte("no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := database.Open(name); err == nil || !strings.Contains(err.Error(), `x.hotlists: database: begins with "no datab", want "pepVHOTL"`) {
		t.Errorf("another file: got error %v", err)
	}
}

func TestFilesThatAreNotWhole(t *testing.T) {
	data := encode(t, collect(t, someRuns(1, 30, 1, 100), parity{}))
	for n := range data {
		if _, err := database.Read(bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("the first %d bytes of %d are read without an error", n, len(data))
		}
		bad := bytes.Clone(data)
		bad[n] ^= 1 << (n % 8)
		if _, err := database.Read(bytes.NewReader(bad)); err == nil {
			t.Fatalf("a file with byte %d changed is read without an error", n)
		}
	}
}

// file returns a file with a header of the kinds "a" and "b", the given chunk, and the end.
func file(kind byte, body []byte) []byte {
	var b bytes.Buffer
	w := chunk.NewWriter(&b, "pepVHOTL", 1)
	w.Write('H', []byte("\x02id\x04path\x01\x02\x03\x00\x02\x01a\x01b"))
	w.Write(kind, body)
	w.Write(chunk.End, []byte{1, 1})
	return b.Bytes()
}

func numbers(list ...uint64) (b []byte) {
	for _, u := range list {
		b = binary.AppendUvarint(b, u)
	}
	return b
}

func TestBadChunks(t *testing.T) {
	// A location at 0x401000 with 5 interrupts, and what follows.
	at := func(list ...uint64) []byte {
		return numbers(append([]uint64{1, 0x401000, 1, 0x10, 0, 0, 0, 0, 0, 0, 5}, list...)...)
	}
	twice := append(numbers(2), append(at(1, 0, 0, 1, 1, 0, 7, 1)[1:], at(0)[1:]...)...)
	for _, c := range []struct {
		name string
		kind byte
		body []byte
		want string
	}{
		{"a list", 'L', at(1, 0, 0, 3, 2, 0, 7, 2, 0, 8, 1), ""},
		{"a kind that is not there", 'L', at(1, 2, 0, 1, 1, 0, 7, 1), "kind of value 2, and there are 2"},
		{"a kind twice", 'L', at(2, 1, 0, 1, 1, 0, 7, 1, 1, 0, 1, 1, 0, 7, 1), "two lists of b at 0x401000"},
		{"a location twice", 'L', twice, "two locations at 0x401000"},
		{"counts that do not add up", 'L', at(1, 0, 0, 4, 2, 0, 7, 2, 0, 8, 1), "a at 0x401000: hotlist: level 0, counts add up to 3"},
		{"a level that is too high", 'L', at(1, 0, 501, 4, 1, 0, 7, 2), "level 501"},
		{"a huge total", 'L', at(1, 0, 3, 1<<40, 1, 0, 7, 2), "a total of 1099511627776"},
		{"more values than bytes", 'L', at(1, 0, 3, 5, 1<<50), "1125899906842624 things"},
		{"seventeen values", 'L', at(append([]uint64{1, 0, 3, 100, 17}, make([]uint64, 17*3)...)...), "17 values"},
		{"too few bytes", 'L', at(1, 0, 0), "1 things in a chunk that has 2 bytes left"},
		{"an unknown kind", 'Q', nil, "a chunk of the kind 'Q'"},
		{"no list, and an end that counts one", 'L', at(0), "the file has 0 lists, its end says 1"},
		{"no location", 'L', numbers(0), "the file has 0 locations, its end says 1"},
	} {
		_, err := database.Read(bytes.NewReader(file(c.kind, c.body)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// FuzzRead reads files with a chunk of any bytes. What is read without an error is written
// and read again.
func FuzzRead(f *testing.F) {
	f.Add(byte('L'), numbers(1, 0x401000, 1, 0x10, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 3, 2, 0, 7, 2, 0, 8, 1))
	f.Add(byte('E'), []byte{0, 0})
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		if len(body) > chunk.MaxBody {
			return
		}
		db, err := database.Read(bytes.NewReader(file(kind, body)))
		if err != nil {
			return
		}
		first := encode(t, db)
		again, err := database.Read(bytes.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, encode(t, again)) {
			t.Error("a file that was read and written is another one when it is read and written again")
		}
	})
}
