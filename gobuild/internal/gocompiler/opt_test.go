package gocompiler_test

// This file tests programs that the compiler lays out by a profile.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// The branches of tenth go the other way than the compiler guesses, and one of rare is a conditional move otherwise.
const laidOut = `package main

import "os"

//go:noinline
func tenth(n int) (s int) {
	for i := range n {
		if i%10 == 0 && i > 5 || i == 3 {
			s += other(i)
		}
		switch i & 7 {
		case 0, 1, 2, 3, 4, 5, 6:
			s++
		default:
			println("seven")
		}
	}
	return s
}

//go:noinline
func rare(x, y int) int {
	if x > y {
		x = y
	}
	return x
}

//go:noinline
func other(n int) int { return n + len(os.Args) }

//go:noinline
func never(list []int) (s int) {
	for i, x := range list {
		if x > i {
			s += other(x)
		}
	}
	return s
}

func main() {
	s := 0
	for i := range 1000 {
		s += tenth(7) + rare(i, 10000)
	}
	if s < 0 {
		never(os.NewFile(0, "").Fd)
	}
	println(s)
}
`

// listing builds the program, and returns the code of its functions as the compiler prints it.
func listing(t *testing.T, dir, command string, flags ...string) (prog string, code map[string]string) {
	t.Helper()
	prog = filepath.Join(t.TempDir(), "prog")
	args := append([]string{"build", "-trimpath", "-gcflags=-S", "-o", prog}, flags...)
	cmd := exec.Command(command, append(args, ".")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	code = map[string]string{}
	for _, text := range regexp.MustCompile(`(?m)^main\.`).Split(string(out), -1) {
		name, _, ok := strings.Cut(text, " STEXT ")
		if ok {
			code[name] = text
		}
	}
	return prog, code
}

// Functions with counts have other code that does the same; those without have the code of the plain program.
func TestMeasuredBranches(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	edges := filepath.Join(dir, "default.edges.pb.gz")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), strings.Replace(laidOut, `os.NewFile(0, "").Fd`, "nil", 1))
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/laid\n\ngo 1.26\n")
	out := t.TempDir()
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=exact"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out)
	want, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(out, "*.edges.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if err := os.Rename(names[0], edges); err != nil {
		t.Fatal(err)
	}
	_, plain := listing(t, dir, "go")
	for _, flag := range []string{"-pepopt=auto", "-pepopt=2*" + edges + "," + edges, "-pepopt=random:7"} {
		prog, code := listing(t, dir, pepbuildtest.Pepbuild(t), flag)
		if got, err := exec.Command(prog).CombinedOutput(); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v: it prints %q, want %q", flag, err, got, want)
		}
		for _, name := range []string{"tenth", "rare", "other", "never"} {
			same := name == "other" || name == "never" && !strings.Contains(flag, "random")
			if plain[name] == "" || (code[name] == plain[name]) != same {
				t.Errorf("%s: the code of %s is\n%s\nand in the plain program\n%s", flag, name, code[name], plain[name])
			}
		}
		if strings.Contains(flag, "auto") && (!strings.Contains(plain["rare"], "CMOV") ||
			strings.Contains(code["rare"], "CMOV")) {
			t.Errorf("the branch of rare goes one way, and its code is\n%s\nthat of the plain program\n%s", code["rare"],
				plain["rare"])
		}
	}
}

// mixed is a program with C code and goroutines, and with calls through an interface that a CPU profile has the
// compiler inline.
const mixed = `package main

/*
static int half(int n) { return n > 10 && n % 2 == 0 ? n / 2 : 3 * n + 1; }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"time"
)

type step interface{ next(n int) int }

type up struct{ limit int }

func (u *up) next(n int) int {
	if n > u.limit || n < 0 {
		return n % 7
	}
	return n + 3
}

type down struct{}

func (down) next(n int) int { return n / 2 }

func walk(s step, n int) (sum int) {
	for i := range n {
		sum = s.next(sum + i)
	}
	return sum
}

func main() {
	if len(os.Args) > 1 {
		f, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(f)
		for begin := time.Now(); time.Since(begin) < time.Second; {
			walk(&up{1000}, 10000)
		}
		pprof.StopCPUProfile()
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	results := make(chan int, 3)
	total := 0
	for i := range 20 {
		wg.Go(func() {
			var s step = &up{i * 100}
			if i%5 == 0 {
				s = down{}
			}
			n := walk(s, 1000) + int(C.half(C.int(i)))
			select {
			case results <- n:
			default:
				mu.Lock()
				defer mu.Unlock()
				total += n
			}
		})
	}
	wg.Wait()
	close(results)
	for n := range results {
		total += n
	}
	fmt.Println(total)
}
`

// Random counts make no wrong code beside a CPU profile, the race detector and C code.
func TestRandomCountsBesideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std with the race detector")
	}
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), mixed)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/mixed\n\ngo 1.26\n")
	prog := filepath.Join(t.TempDir(), "prog")
	outcome := func(command string, flags []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(command, append(append([]string{"build", "-o", prog}, flags...), ".")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		cmd = exec.Command(prog, args...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v", command, flags, err)
		}
		return string(out)
	}
	want := outcome("go", nil, filepath.Join(dir, "default.pgo"))
	if len(want) < 3 {
		t.Errorf("the program prints %q", want)
	}
	for _, flags := range [][]string{{"-pgo=off"}, nil, {"-race"}} {
		if got := outcome(pepbuildtest.Pepbuild(t), append(flags, "-pepopt=random:6")); got != want {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
	}
}
