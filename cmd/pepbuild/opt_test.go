package main

// This file tests programs that the compiler lays out by a profile.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	skipUnlessLinux(t)
	dir := t.TempDir()
	edges := filepath.Join(dir, "default.edges.pb.gz")
	write(t, filepath.Join(dir, "main.go"), strings.Replace(laidOut, `os.NewFile(0, "").Fd`, "nil", 1))
	write(t, filepath.Join(dir, "go.mod"), "module example.com/laid\n\ngo 1.26\n")
	out := t.TempDir()
	cmd := exec.Command(build(t, dir, "-pepmode=exact"))
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
		prog, code := listing(t, dir, "pepbuild", flag)
		if got, err := exec.Command(prog).CombinedOutput(); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v: it prints %q, want %q", flag, err, got, want)
		}
		for _, name := range []string{"tenth", "rare", "other", "never"} {
			same := name == "other" || name == "never" && !strings.Contains(flag, "random")
			if plain[name] == "" || (code[name] == plain[name]) != same {
				t.Errorf("%s: the code of %s is\n%s\nand in the plain program\n%s", flag, name, code[name], plain[name])
			}
		}
		if strings.Contains(flag, "auto") && (!strings.Contains(plain["rare"], "CMOV") || strings.Contains(code["rare"], "CMOV")) {
			t.Errorf("the branch of rare goes one way, and its code is\n%s\nthat of the plain program\n%s", code["rare"], plain["rare"])
		}
	}
}
