package main

// This file tests what windows note of a program's values.

import (
	"bufio"
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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/schema"
)

// dynamic makes calls whose targets are known: of ten shapes seven are squares, two are circles, and one is a disk, which has the
// method of its circle; of four functions three are the same. So are types: of ten things in interfaces five are numbers. It has a secret, which it loads, passes and returns all the time.
// Its argument is for how many ms of CPU time it runs, or how many rounds if it begins with n.
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
)

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
	sum, wrong := 0, 0
	round := func() {
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
	fmt.Println("ready", sum&1, wrong)
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

// A noted is a line with a function that it calls, or a type of which an interface is there.
type noted struct {
	line int64
	what string
}

// shares returns the shares of targets, or of types, at each line of package main, by the profile of a kind in a directory, and by
// how much these may be off.
func shares(t *testing.T, dir, kind string) (shares map[noted]float64, bounds map[noted][2]float64) {
	t.Helper()
	counts, sums := map[noted]float64{}, map[int64]float64{}
	bounds = map[noted][2]float64{}
	for _, s := range readProfile(t, dir, kind).Sample {
		at := s.Location[len(s.Location)-1].Line[0]
		c := noted{at.Line, s.Location[0].Line[0].Function.Name}
		if kind == "types" {
			c.what = s.Label["type"][0]
		}
		if !strings.HasPrefix(at.Function.Name, "main.") || c.what == "main.main.func2" {
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

// runDynamic runs the program until it is ready, calls see, and lets it end.
func runDynamic(t *testing.T, prog, profiles, opts, rounds, secret string, see func()) {
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
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	see()
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Call targets and types of windows are those of taps that report all: the same ones at the same lines, with the same shares.
// These are known. A window has some hundred rounds of the loop, so shares are off by less than a hundredth, whatever rounds
// windows are in; 0.03 is far more than chance does.
func TestWindowsAndTaps(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), dynamic)
	write(t, filepath.Join(dir, "go.mod"), "module dynamic\n\ngo 1.26\n")
	const secret = 0x5ec7e7a7b1c2d3e5
	code := strconv.FormatUint(secret, 16)

	windows := t.TempDir()
	runDynamic(t, build(t, dir), windows, "tick=4ms", "2000", code, func() {
		if at := find(t, windows, secret); at != "" {
			t.Errorf("the secret is in %s", at)
		}
	})
	if at := find(t, windows, secret); at != "" {
		t.Errorf("the secret is in %s", at)
	}
	planted := t.TempDir()
	write(t, filepath.Join(planted, "planted"), "x\xe5\xd3\xc2\xb1\xa7\xe7\xc7\x5e")
	if find(t, planted, secret) == "" {
		t.Error("a planted secret is not found")
	}
	taps := t.TempDir()
	runDynamic(t, build(t, dir, "-pepmode=taps", "-peptaps=calls,types"), taps, "", "n20000", code, func() {})

	known := map[string]float64{"main.square.area": .7, "main.(*circle).area": .3, "main.twice": .25, "int": .5, "string": .2, "main.square": .7}
	calls := map[int64]bool{}
	for _, kind := range []string{"calltargets", "types"} {
		got, bounds := shares(t, windows, kind)
		want, _ := shares(t, taps, kind)
		maps.DeleteFunc(want, func(c noted, _ float64) bool { return kind == "types" && calls[c.line] }) // windows have the targets there
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
}

// find returns which file in a directory has a word, as eight bytes or as a text, "" if none has. It looks into compressed files.
func find(t *testing.T, dir string, word uint64) (name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	texts := [][]byte{binary.LittleEndian.AppendUint64(nil, word), binary.BigEndian.AppendUint64(nil, word), binary.AppendUvarint(nil, word),
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
