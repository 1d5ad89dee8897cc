package windows_test

// This file tests what windows note of a program's values.

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// dynamic makes calls whose targets are known: of ten shapes seven are squares, two are circles, and one is a
// disk, which has the method of its circle; of four functions three are the same. So are types: of ten things in
// interfaces five are numbers. And loads: of ten items seven weigh -3, six have names of two letters, and two are
// heavy. It has a secret, which it loads, passes and returns all the time, and says where that is. Its argument
// is for how many ms of CPU time it runs, or how many rounds if it begins with n.
const dynamic = `package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

type shape interface{ area(n int) int }

type (
	square int
	circle struct{ r int }
	disk   struct {
		name string
		circle
	}
	item struct {
		weight int8
		name   string
		heavy  bool
	}
)

//go:noinline
func weigh(it *item) int {
	sum := int(it.weight)
	sum += len(it.name)
	if it.heavy {
		sum *= 2
	}
	return sum
}

//go:noinline
func (s square) area(n int) int { return n * int(s) }

//go:noinline
func (c *circle) area(n int) int { return n + 3*c.r }

//go:noinline
func twice(n int) int { return n * 2 }

//go:noinline
func secretOf(secret *[4]uint64, n int) uint64 {
	return secret[n&3]
}

//go:noinline
func kindOf(x any) int {
	switch v := x.(type) {
	case int:
		return v
	case string:
		return len(v)
	case *circle:
		return 3
	}
	return 4
}

//go:noinline
func isSquare(s shape) int {
	if q, ok := s.(square); ok {
		return int(q)
	}
	return 0
}

func main() {
	c := &circle{1}
	shapes := []shape{square(1), square(2), c, square(3), square(4), c, square(5), &disk{"d", *c}, square(6), square(7)}
	offset := len(os.Args)
	closure := func(n int) int { return n ^ offset }
	funcs := []func(int) int{closure, closure, twice, closure}
	code, _ := strconv.ParseUint(os.Args[2], 16, 64)
	secret := [4]uint64{code, code, code, code}
	things := []any{1, "a", 2, c, 3, nil, 4, "bc", 5, 6.5}
	var items []*item
	for i := range 10 {
		x := &item{-3, "ab", i < 2}
		if i > 6 {
			x.weight = 9
		}
		if i%5 > 2 {
			x.name = "abc"
		}
		items = append(items, x)
	}
	sum, wrong, n := 0, 0, 0
	round := func() {
		passes(n)
		n++
		for i, s := range shapes {
			sum += s.area(i)
		}
		for _, x := range things {
			sum += kindOf(x)
		}
		for _, s := range shapes {
			sum += isSquare(s)
		}
		for i, f := range funcs {
			sum += f(i)
		}
		for _, it := range items {
			sum += weigh(it)
		}
		if secretOf(&secret, sum) != code {
			wrong++
		}
	}
	if rounds, ok := cutN(os.Args[1]); ok {
		for range rounds {
			round()
		}
	} else {
		ms, _ := strconv.Atoi(os.Args[1])
		var r syscall.Rusage
		for end := int64(0); ; {
			for range 100000 {
				round()
			}
			syscall.Getrusage(0, &r)
			used := r.Utime.Nano() + r.Stime.Nano()
			if end == 0 {
				end = used + int64(ms)*1e6
			} else if used > end {
				break
			}
		}
	}
	fmt.Printf("ready %d %d %p\n", sum&1, wrong, &secret)
	bufio.NewReader(os.Stdin).ReadByte()
}

func cutN(s string) (n int, ok bool) {
	if s[0] != 'n' {
		return 0, false
	}
	n, _ = strconv.Atoi(s[1:])
	return n, true
}
`

// passed is a part of the same program. It passes values to functions, and returns values, that repeat after 16 calls
// of passes.
const passed = `package main

type pair struct{ x, y int }

var funcs = []func(d int) int{func(d int) int { return d + 1 }}

//go:noinline
func flag(ok bool, n int8) (bool, int8) { return !ok, n - 1 }

//go:noinline
func ratio(x float64, y float32) (float64, float32) { return x / 4, y }

//go:noinline
func name(s string, list []int) string {
	if len(list) > 2 {
		return "three"
	}
	return s
}

//go:noinline
func (q *pair) plus(k uint16) (total int) {
	total = q.x + int(k)
	return
}

//go:noinline
func (q pair) swap() pair { return pair{q.y, q.x} } // taps report no structs

//go:noinline
func larger[T int | uint8](x, y T) T {
	if x > y {
		return x
	}
	return y
}

//go:noinline
func length(_ int, xs ...rune) int { return len(xs) }

//go:noinline
func late(n int) (r int) {
	defer func() { r += 100 }()
	return n // taps report n, and windows r
}

//go:noinline
func saved(n int) (ok bool) { // windows have the result of a call that panics
	defer func() { recover() }()
	if n == 2 {
		panic(n)
	}
	return true
}

//go:noinline
func down(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + down(n-1) // taps report no results of calls
}

var q = &pair{3, 4}

func passes(n int) {
	i := n % 4
	flag(i > 0, int8(i*0x1234567-1))
	ratio(float64(i), float32(i)/2)
	name("abcd"[:i], make([]int, i))
	q.plus(uint16(i * 0x54321))
	pair{i, 7}.swap()
	larger(i, 1)
	larger(uint8(i), 200)
	length(i, 'a', rune('b'+i))
	late(i)
	if i == 0 {
		saved(n >> 2 & 3)
	}
	down(i)
	funcs[0](i)
}
`

// passedShares returns the shares of values among those of their site, of functions in passes.go, by the profile in a
// directory. Addresses differ from run to run, so they count as one.
func passedShares(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	counts, sums := map[[2]string]float64{}, map[string]float64{}
	for _, s := range pepbuildtest.Pprof(t, dir, "values").Sample {
		at := s.Location[0].Line[0]
		label := func(key string) string { return strings.Join(s.Label[key], ",") }
		if filepath.Base(at.Function.Filename) != "passes.go" || at.Function.Name == "main.passes" ||
			label("kind") == "load" {
			continue
		}
		value := label("value")
		if label("form") != "" {
			value, _, _ = strings.Cut(value, "0x")
		}
		site := fmt.Sprintf("%s %s %s %s ", at.Function.Name, label("site"), label("kind"), label("expr"))
		counts[[2]string{site, value}] += float64(s.Value[0])
		sums[site] += float64(s.Value[0])
	}
	shares := map[string]float64{}
	for k, n := range counts {
		shares[k[0]+k[1]] = n / sums[k[0]]
	}
	return shares
}

// A noted is a line with a function that it calls, a type of which an interface is there, or a value that is loaded.
type noted struct {
	line int64
	what string
}

// shares returns the shares of targets, types or values at each line of package main, by the profile of a kind in a
// directory, and by how much these may be off.
func shares(t *testing.T, dir, kind string) (shares map[noted]float64, bounds map[noted][2]float64) {
	t.Helper()
	counts, sums := map[noted]float64{}, map[int64]float64{}
	bounds = map[noted][2]float64{}
	for _, s := range pepbuildtest.Pprof(t, dir, kind).Sample {
		at := s.Location[len(s.Location)-1].Line[0]
		c := noted{at.Line, s.Location[0].Line[0].Function.Name}
		switch kind {
		case "types":
			c.what = s.Label["type"][0]
		case "values":
			c.what = s.Label["value"][0]
			if s.Label["kind"][0] != "load" || s.Label["form"] != nil || strings.HasPrefix(s.Label["type"][0], "func") {
				continue // an argument, a result or an address
			}
		}
		if !strings.HasPrefix(at.Function.Name, "main.") || c.what == "main.main.func2" ||
			filepath.Base(at.Function.Filename) != "main.go" {
			continue // the compiler knows whom main calls by the name round
		}
		counts[c] += float64(s.Value[0])
		sums[at.Line] += float64(s.Value[0])
		if n := s.NumLabel[schema.ShareBelow]; n != nil {
			bounds[c] = [2]float64{float64(n[0]) / 1e6, float64(s.NumLabel[schema.ShareError][0]) / 1e6}
		}
	}
	shares = map[noted]float64{}
	for c, n := range counts {
		shares[c] = n / sums[c.line]
	}
	return shares, bounds
}

// runDynamic runs the program until it is ready, calls see with the address of its secret, and lets it end.
func runDynamic(t *testing.T, prog, profiles, opts, rounds, secret string, see func(at uint64)) {
	t.Helper()
	cmd := exec.Command(prog, rounds, secret)
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS="+opts)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var sum, wrong int
	var at uint64
	if _, err := fmt.Fscanf(out, "ready %d %d 0x%x\n", &sum, &wrong, &at); err != nil {
		t.Error(err)
	}
	see(at)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Call targets, types and loads of windows are those of taps that report all: the same ones at the same lines, with the
// same shares. These are known. A window has some hundred rounds of the loop, so shares are off by less than a
// hundredth, whatever rounds windows are in; 0.03 is far more than chance does.
func TestWindowsAndTaps(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), dynamic)
	pepbuildtest.Write(t, filepath.Join(dir, "passes.go"), passed)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module dynamic\n\ngo 1.26\n")
	const secret = 0x5ec7e7a7b1c2d3e5
	code := strconv.FormatUint(secret, 16)

	prog, windows, withArgs, withResults := pepbuildtest.Program(t, dir, "-pepvalues=all"), t.TempDir(), t.TempDir(),
		t.TempDir()
	refused := exec.Command(prog, "n1", code)
	refused.Env = append(os.Environ(), "PEPDIR="+t.TempDir(), "PEPOPTS=engine=rap(1%)")
	if out, err := refused.CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "build it with -peptaps, or leave out the setting; windows note too few events for an engine") {
		t.Errorf("an engine for windows: %v\n%s", err, out)
	}
	run := func(dir, opts, ms string, secrets, addresses bool) {
		var where uint64
		see := func(at uint64) {
			where = at
			if at := find(t, dir, secret); (at != "") != secrets {
				t.Errorf("%s: the secret is in %q", opts, at)
			}
			found := ""
			for i := range uint64(4) {
				found += find(t, dir, where+8*i)
			}
			if (found != "") != addresses {
				t.Errorf("%s: the address of the secret, %#x, is in %q", opts, where, found)
			}
		}
		runDynamic(t, prog, dir, opts, ms, code, see)
		see(where)
	}
	run(windows, "tick=4ms", "2000", false, false)
	run(t.TempDir(), "tick=4ms,values=addresses", "500", false, true)
	run(withArgs, "tick=4ms,values=args", "500", false, true)            // as a function gets it
	run(withResults, "tick=4ms,values=args,results", "2000", true, true) // as a function returns it
	planted := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(planted, "planted"), "x\xe5\xd3\xc2\xb1\xa7\xe7\xc7\x5e")
	if find(t, planted, secret) == "" {
		t.Error("a planted secret is not found")
	}
	asked := t.TempDir()
	runDynamic(t, prog, asked, "tick=4ms,values=loads", "2000", code, func(uint64) {})
	if find(t, asked, secret) == "" {
		t.Error("the secret is in no file, and the run asks for loads")
	}
	taps := t.TempDir()
	runDynamic(t, pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=calls,types,loads,args,results"), taps, "",
		"n20000", code, func(uint64) {})

	known := map[string]float64{"main.square.area": .7, "main.(*circle).area": .2, "main.(*disk).area": .1,
		"main.twice": .25, "int": .5,
		"string": .2, "main.square": .7,
		"it.weight=-3": .7, "len(it.name)=2": .6, "it.heavy=true": .2, "c.r=1": 1}
	calls := map[int64]bool{}
	for _, kind := range []string{"calltargets", "types", "values"} {
		got, bounds := shares(t, asked, kind)
		want, _ := shares(t, taps, kind)
		if kind == "values" { // main loads some values once, which windows do not see
			once := func(c noted, _ float64) bool { return c.line >= lineOf(t, dynamic, "func main()") }
			maps.DeleteFunc(got, once)
			maps.DeleteFunc(want, once)
		}
		// windows have the targets there
		maps.DeleteFunc(want, func(c noted, _ float64) bool { return kind == "types" && calls[c.line] })
		for c := range want {
			calls[c.line] = true
		}
		if a, b := slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)); len(a) != len(b) || len(a) < 4 {
			t.Errorf("%s: windows have\n%v, taps\n%v", kind, a, b)
		}
		for c, share := range want {
			if math.Abs(got[c]-share) > .03 {
				t.Errorf("%s: %v: share %.3f, by taps %.3f", kind, c, got[c], share)
			}
			if x, ok := known[c.what]; ok && math.Abs(share-x) > 1e-9 {
				t.Errorf("%s: %v: taps say %.3f, want %.3f", kind, c, share, x)
			}
			if b, ok := bounds[c]; !ok || b[0]+b[1] <= 0 || b[0]+b[1] > .1 {
				t.Errorf("%s: %v: bounds %v", kind, c, b)
			}
		}
		t.Log(got, bounds)
	}
	comparePassed(t, withResults, taps)
}

// Arguments and results of windows have the names, places and shares that taps report, where these report any. A window
// has some ten rounds, and 500 windows have 5,000, or some 300 times 16: shares of .25 are off by .025 if values of a
// window are alike, and .12 is nearly five times that.
func comparePassed(t *testing.T, windows, taps string) {
	t.Helper()
	got, want := passedShares(t, windows), passedShares(t, taps)
	for k, share := range want {
		late := strings.HasPrefix(k, "main.late ") && strings.Contains(k, "result")
		if late {
			if value, err := strconv.Atoi(k[strings.LastIndexByte(k, '=')+1:]); err == nil {
				k = k[:strings.LastIndexByte(k, '=')+1] + strconv.Itoa(value+100)
			}
		}
		if x, ok := got[k]; !ok || math.Abs(x-share) > .12 {
			t.Errorf("%q: share %.3f, by taps %.3f", k, x, share)
		}
		delete(got, k)
	}
	if len(want) < 60 {
		t.Errorf("taps have only %q", slices.Sorted(maps.Keys(want)))
	}
	for k := range got {
		if !slices.ContainsFunc([]string{"swap ", "down ", "saved "},
			func(name string) bool { return strings.Contains(k, name) }) {
			t.Errorf("only windows have %q", k)
		}
	}
	for _, k := range []string{
		"main.pair.swap passes.go:28:7 arg q.y q.y=7", "main.pair.swap passes.go:28:36 result pair{…}.x pair{…}.x=7",
		"main.down passes.go:61:9 result 1 + down(n - 1) 1 + down(n - 1)=3", "main.saved passes.go:48:6 result ok ok=false",
	} {
		if _, ok := got[k]; !ok {
			t.Errorf("windows do not have %q, but only %q", k, slices.Sorted(maps.Keys(got)))
		}
	}
}

// lineOf returns the number of the line that begins with a text.
func lineOf(t *testing.T, source, text string) int64 {
	t.Helper()
	before, _, ok := strings.Cut(source, "\n"+text)
	if !ok {
		t.Fatalf("no line begins with %q", text)
	}
	return int64(strings.Count(before, "\n")) + 2
}

// find returns which file in a directory has a word, as eight bytes or as a text, "" if none has. It looks into
// compressed files.
func find(t *testing.T, dir string, word uint64) (name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	texts := [][]byte{binary.LittleEndian.AppendUint64(nil, word), binary.BigEndian.AppendUint64(nil, word),
		binary.AppendUvarint(nil, word),
		fmt.Append(nil, word), fmt.Appendf(nil, "%d", int64(word)), fmt.Appendf(nil, "%x", word)}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range texts {
			if bytes.Contains(data, x) {
				return file
			}
		}
	}
	return ""
}

// scanning loads from memory in known shares: of five loads of scan four are from a table of 1 MB, all of whose
// words have the same share, and one is from eight words elsewhere. lookup loads from a hash map. The program
// prints where the table, the words and the map begin.
const scanning = `package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"syscall"
)

const size = 1 << 17

var (
	table   = new([size]uint64)
	few     = new([8]uint64)
	squares = new([size / 4]struct{ key, square uint64 })
)

//go:noinline
func scan(table *[size]uint64, few *[8]uint64, from int) (sum uint64) {
	for i := range size {
		sum += table[(from+i)&(size-1)]
		if i&3 == 0 {
			sum ^= few[i>>2&7]
		}
	}
	return sum
}

func slot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 49 }

//go:noinline
func lookup(squares *[size / 4]struct{ key, square uint64 }, key uint64) uint64 {
	for i := slot(key); ; i++ {
		if x := &squares[i%(size/4)]; x.key == key {
			return x.square
		}
	}
}

func main() {
	for key := range uint64(1 << 14) {
		i := slot(key + 1)
		for squares[i%(size/4)].key != 0 {
			i++
		}
		squares[i%(size/4)] = struct{ key, square uint64 }{key + 1, key * key}
	}
	fmt.Printf("%p %p %p\n", table, few, squares)
	ms, _ := strconv.Atoi(os.Args[1])
	sum := uint64(0)
	var r syscall.Rusage
	for used := int64(0); used < int64(ms)*1e6; used = r.Utime.Nano() + r.Stime.Nano() {
		for range 100 {
			sum += scan(table, few, rand.Intn(size))
			for range 1000 {
				sum += lookup(squares, 1+rand.Uint64()%(1<<14))
			}
		}
		syscall.Getrusage(0, &r)
	}
	fmt.Fprintln(os.Stderr, sum)
}
`

// pep ranges says which share of the loads of a function is in a range of memory: what the program's arithmetic
// says. A window has 8 KB of the table or so, so the share of a quarter of it is that of one window in five: off
// by .02 with 400 windows, and .1 is five times that. What the hash map loads is in the map.
func TestRangesOfAddresses(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles the linked runtime")
	}
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), scanning)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module scanning\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepvalues=all", "-peppkg=./..."), "3000")
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms,values=addresses")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	var table, few, squares uint64
	if _, err := fmt.Sscanf(string(out), "0x%x 0x%x 0x%x\n", &table, &few, &squares); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	names, err := filepath.Glob(filepath.Join(profiles, "*.values.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v\n%s", names, err, &said)
	}
	f, err := profile.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	const tableSize, fewSize, squaresSize = 1 << 20, 64, 1 << 19
	part := func(r *report.RangeRow, at, size uint64) float64 { // of the words from at on that are in a range
		n := 0
		for word := at; word < at+size; word += 8 {
			if r.First <= word && word <= r.Last {
				n++
			}
		}
		return float64(8*n) / float64(size)
	}
	list, err := report.Ranges(f, report.RangesOptions{Hot: .05, Func: regexp.MustCompile(`^main\.scan$`)})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Sources) != 1 {
		t.Fatalf("sources %+v", list.Sources)
	}
	source := &list.Sources[0]
	inFew, inTable := 0., 0. // of narrow ranges
	for i := range source.Rows {
		r := &source.Rows[i]
		want := .8*part(r, table, tableSize) + .2*part(r, few, fewSize)
		got := float64(r.Within) / float64(source.Events)
		if math.Abs(got-want) > .1 {
			t.Errorf("%s has %.3f of the loads, want %.3f", r.Text, got, want)
		}
		switch weight, size := float64(r.Weight)/float64(source.Events), r.Last-r.First; {
		case size < 2*fewSize && part(r, few, fewSize) > 0:
			inFew += weight
		case size < tableSize/2 && part(r, table, tableSize) > 0:
			inTable += weight
		}
	}
	if math.Abs(inFew-.2) > .1 || inTable < .5 {
		t.Errorf("narrow ranges have %.3f of the loads from the few words, %.3f from the table: %+v", inFew, inTable, source.Rows)
	}
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	inMap := 0
	for _, w := range words {
		at, err := strconv.ParseUint(w.Value, 0, 64)
		switch in := at-squares < squaresSize; {
		case w.Site.Kind != "addr" || err != nil:
			t.Errorf("the run did not ask for %+v", w)
		case w.Site.Func.Name == "main.lookup" && !in, w.Site.Func.Name == "main.scan" && in:
			t.Errorf("%s loads from %#x; the map is at %#x", w.Site.Func.Name, at, squares)
		case in:
			inMap++
		}
	}
	if inMap < 100 {
		t.Errorf("%d addresses in the map", inMap)
	}
}
