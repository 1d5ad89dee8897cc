package windows_test

// This file tests what windows count.

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/runtime/pepfile"
)

// byNumber calls main.classify with 600 numbers, under labels with these numbers, and then with one number. The number
// says which path it takes.
const byNumber = `package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"syscall"
)

var hits [4]int

//go:noinline
func classify(n int) {
	if n&1 != 0 {
		hits[0]++
	}
	if n&2 != 0 {
		hits[1]++
	}
	if n&4 != 0 {
		hits[2]++
	}
	if n&8 != 0 {
		hits[3]++
	}
}

func calls(n int) {
	for range 2000 {
		classify(n)
	}
}

// during calls f for 1.2 s of CPU time.
func during(f func(n int)) {
	var r syscall.Rusage
	for n, end := 0, int64(0); ; n++ {
		if n%100 == 0 { // windows end at system calls
			syscall.Getrusage(0, &r)
			used := r.Utime.Nano() + r.Stime.Nano()
			if end == 0 {
				end = used + 1.2e9
			} else if used > end {
				break
			}
		}
		f(n)
	}
}

func main() {
	during(func(n int) {
		pprof.Do(context.Background(), pprof.Labels("n", strconv.Itoa(n%600)), func(context.Context) { calls(n % 600) })
	})
	during(func(int) { calls(5) })
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadByte()
}
`

// A taker of windows keeps the entries of earlier windows. It counts none of them in a window that has not seen it, no
// other entry in the place of one, and in no window what others have seen.
func TestWindowsKeepEntriesApart(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), byNumber)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module numbers\n\ngo 1.26\n")
	prog := pepbuildtest.Program(t, dir, "-pepmode=windows")
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms")
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
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	names, _ := filepath.Glob(filepath.Join(profiles, "*.pep"))
	if len(names) != 1 {
		t.Fatalf("files %q", names)
	}
	checkLogOfWindows(t, names[0])
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	path, count := map[string]string{}, 0
	for _, s := range pepbuildtest.Pprof(t, profiles, "paths").Sample {
		if s.Location[1].Line[0].Function.Name != "main.classify" || len(s.Label["n"]) == 0 {
			continue
		}
		n, err := strconv.Atoi(s.Label["n"][0])
		if err != nil {
			t.Fatal(err)
		}
		count++
		kind := fmt.Sprint(n % 16)
		if p := fmt.Sprint(s.NumLabel["path"]); path[kind] == "" {
			path[kind] = p
		} else if path[kind] != p {
			t.Errorf("classify(%d) took path %s, and another number with the same bits %s", n, p, path[kind])
		}
	}
	other := map[string]bool{}
	for _, p := range path {
		other[p] = true
	}
	if len(other) != 16 || count < 100 {
		t.Errorf("%d paths of classify, want 16; in %d samples", len(other), count)
	}
}

// checkLogOfWindows compares what windows have counted, by the log, with the counts of the file.
func checkLogOfWindows(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := pepfile.TableAt(unsafe.Pointer(&data[0]))
	if f.Log > 1000 {
		t.Errorf("%d windows, of which the log does not have all", f.Log)
	}
	windows, fitting, missed, ends, logged, stands := 0, 0, uint64(0), uint64(0), map[uint32]uint64{}, map[uint32]uint64{}
	damaged := f.LoggedWindows(func(w *pepfile.Window, records []pepfile.WindowRecord, _ []pepfile.NoteRecord) {
		windows++
		sum, labels := uint64(w.Missed), map[uint32]bool{}
		for _, r := range records[w.Loads:] {
			sum += uint64(r.Count)
			logged[r.Entry-1] += uint64(r.Count)
			stands[r.Entry-1] += uint64(r.Count) * (w.Time / 1000)
			if e := f.Entry(r.Entry - 1); e.Labels != 0 {
				labels[e.Labels] = true
			}
		}
		if len(labels) > 1 { // those that the window makes are not known
			t.Errorf("window %d has entries of %d labels", w.Number, len(labels))
		}
		if sum != uint64(w.Ends) {
			t.Errorf("window %d: entries have %d ends, the window has %d", w.Number, sum, w.Ends)
		}
		// Windows that went on behind their length count several times.
		if w.Ends <= w.Steps && (w.Ends > 0 || w.Steps < 3000) {
			fitting++
		}
		missed += uint64(w.Missed)
		ends += sum
	})
	if damaged > 0 || windows < 100 || fitting < windows*3/4 {
		t.Errorf("of %d windows %d are damaged, and %d have as many ends as they may have", windows, damaged, fitting)
	}
	if ends != f.Taken {
		t.Errorf("windows have %d ends, the file has %d", ends, f.Taken)
	}
	for i := range f.Filled() {
		if e := f.Entry(i); !e.OfTicks() && missed == 0 && (e.Count != logged[i] || e.Stands != stands[i]) {
			t.Errorf("entry %d: windows have counted %d, which stand for %d µs, the file has %d and %d", i, logged[i], stands[i],
				e.Count, e.Stands)
		}
	}
	t.Logf("%d windows in the log of %d, %d ends, %d missed", windows, f.Log, ends, missed)
}

// chase goes through three lists at random, for 1.5 s of CPU time each: one of 16 KB, one of as many KB as its
// argument says, and one of 128 MB.
const chase = `package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
)

// A line fills a line of a cache.
type line struct {
	next *line
	_    [56]byte
}

func list(kb int) *line {
	lines := make([]line, kb<<10/64)
	order := rand.Perm(len(lines))
	for i, at := range order {
		lines[at].next = &lines[order[(i+1)%len(order)]]
	}
	return &lines[0]
}

//go:noinline
func small(p *line) *line {
	for range 100000 {
		p = p.next
	}
	return p
}

//go:noinline
func middle(p *line) *line {
	for range 20000 {
		p = p.next
	}
	return p
}

//go:noinline
func large(p *line) *line {
	for range 5000 {
		p = p.next
	}
	return p
}

func used() int64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

func main() {
	kb, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	for i, chase := range []func(p *line) *line{small, middle, large} {
		p := list([]int{16, kb, 128 << 10}[i])
		for end := used() + 15e8; used() < end; {
			p = chase(p)
		}
	}
}
`

// served is the share of the loads of each list that are from where the list must be by its size, at least: in the mean
// over the loads of a window, whatever happened before the window. The rest is for ticks and other programs, which use
// the same caches. In 12 runs beside other programs, at a load of 4 to 12 on two processors, the least shares of a run
// were 0.92, 0.39 and 0.99.
var served = []struct {
	list, from string
	least      float64
}{{"small", "near cache", .75}, {"middle", "far cache", 1. / 3}, {"large", "memory", .75}}

// misplaced returns which lists are served from elsewhere, by how many of their loads have been timed ("large
// latency=memory"). A window interprets 6,000 instructions, of which one in four is a load, and chooses one in 65 loads
// at most, so it times 24 loads of a list at most. Then the share of n timed loads is below its mean by
//
//	√(24·ln(1e6)/(2·n))
//
// in less than one of a million runs: by Azuma's inequality, which needs no independent windows, the chance is below
// exp(-2·(n·margin)²/Σm²) if windows have m of the loads, and Σm² is 24·n at most. These are 0.22 for 3,500 loads.
func misplaced(timed map[string]float64) (list []string) {
	for _, x := range served {
		all := 0.
		for _, from := range schema.Latencies {
			all += timed[x.list+" latency="+from]
		}
		least := x.least - math.Sqrt(24*math.Log(1e6)/(2*all))
		if share := timed[x.list+" latency="+x.from] / all; !(share >= least && least > 0) { // NaN without loads
			list = append(list, fmt.Sprintf("%.3f of the %.0f loads of the %s list are from %s, want more than %.3f", share,
				all, x.list, x.from, least))
		}
	}
	return list
}

// Lists are where they must be by their size. If they are served as well as [served] says, a false alarm has a chance
// below 3 in 1,000,000. Fewer than 1,500 loads of the middle list would say nothing, which is an error, too; 2,600 to
// 4,000 are timed. Profiles that have some loads in another bin are found to be wrong.
func TestLatencyOfLoads(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	kb := 1536 // half as large again as the second cache
	if b, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index2/size"); err == nil {
		var second int
		if n, _ := fmt.Sscanf(string(b), "%dK", &second); n == 1 && second > 0 {
			kb = second * 3 / 2
		}
	}
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), chase)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module lists\n\ngo 1.26\n")
	prog := pepbuildtest.Program(t, dir, "-pepmode=windows")
	cmd := exec.Command(prog, strconv.Itoa(kb))
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=4ms")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	timed := map[string]float64{}
	for _, s := range pepbuildtest.Pprof(t, profiles, "loads").Sample {
		list := strings.TrimPrefix(s.Location[0].Line[0].Function.Name, "main.")
		timed[list+" "+s.Label["value"][0]] += float64(s.Value[1])
	}
	for _, problem := range misplaced(timed) {
		t.Error(problem)
	}

	// The planted biases: such a share of what is in the first bin is in the second one.
	for _, bias := range []struct {
		list, from, to string
		share          float64
	}{
		{"small", "near cache", "far cache", .7}, {"middle", "far cache", "near cache", 1},
		{"middle", "far cache", "memory", 1}, {"large", "memory", "far cache", .7},
	} {
		biased := maps.Clone(timed)
		moved := bias.share * biased[bias.list+" latency="+bias.from]
		biased[bias.list+" latency="+bias.from] -= moved
		biased[bias.list+" latency="+bias.to] += moved
		if misplaced(biased) == nil {
			t.Errorf("%v of the loads of the %s list are in the bin %s in place of %s, which is not found", bias.share,
				bias.list,
				bias.to, bias.from)
		}
	}
}

// The linked runtime is compiled against std as the program has it, so that the build compiles no package of std twice.
// A flag that no build has had before makes both compile math/bits, which the linked runtime imports.
func TestStdIsCompiledOnce(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"),
		"package main\n\nimport \"math/bits\"\n\nfunc main() { println(bits.Len(7)) }\n")
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module once\n\ngo 1.26\n")
	flag := fmt.Sprintf("-gcflags=math/bits=-D=/%d", time.Now().UnixNano())
	cmd := exec.Command(pepbuildtest.Pepbuild(t), "build", "-pepmode=windows", "-x", flag, "-o",
		filepath.Join(dir, "prog"), ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The package main is compiled, so the commands are there.
	if text := string(out); !strings.Contains(text, "-p main ") || strings.Contains(text, "-p math/bits ") {
		t.Errorf("package main is compiled: %t; math/bits, which the linked runtime has had compiled: %t",
			strings.Contains(text, "-p main "), strings.Contains(text, "-p math/bits "))
	}
}
