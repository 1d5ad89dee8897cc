package linked_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// fiftyGoroutines add up, without a lock if RACES is in the environment. The detector needs all that
// they import compiled again, with and without taps.
const fiftyGoroutines = `package main

import (
	"sync"
	"syscall"
)

func collatz(n int) (steps int) {
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

func work(id int) (best int) {
	for i := 1; i < 3000; i++ {
		if s := collatz(i + id); s > best {
			best = s
		}
	}
	return best
}

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	_, races := syscall.Getenv("RACES")
	total := 0
	for i := range 50 {
		wg.Go(func() {
			b := work(i)
			if races {
				total += b // races
				return
			}
			mu.Lock()
			defer mu.Unlock()
			total += b
		})
	}
	wg.Wait()
	println(total)
}
`

// In programs built with -race the detector sees nothing of ours. No function of the linked runtime calls it, nor does
// code of the linked runtime that is inlined elsewhere. It still sees the maps that our functions use,
// because package runtime reports those, so all profiles are made in one goroutine. And our functions
// hide no race of the program's, as they would if the detector saw that they wait for each other.
func TestRaceDetectorSeesNothingOfOurs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 20 s")
	}
	pepbuildtest.SkipUnlessLinux(t)
	if cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || string(cgo) != "1\n" {
		t.Skipf("-race needs cgo: CGO_ENABLED=%s, %v", cgo, err)
	}
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), fiftyGoroutines)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/fifty\n\ngo 1.26\n")
	want, err := exec.Command("go", "run", "-C", dir, ".").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	detector := regexp.MustCompile(`CALL runtime\.((race|msan|asan)\w*)`)
	for _, flags := range []string{"", "-pepmode=exact", "-pepmode=polls -peptaps=all"} {
		prog := pepbuildtest.Program(t, dir, append(strings.Fields(flags), "-race")...)
		out, err := exec.Command("go", "tool", "objdump", "-s", `^(0pep/|main\.)`, prog).Output()
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := 0, 0
		for _, f := range strings.Split("\n"+string(out), "\nTEXT ")[1:] {
			name, code, _ := strings.Cut(f, "(SB) ")
			inOurs := strings.HasPrefix(name, "0pep/")
			if inOurs {
				ours++
			}
			for line := range strings.Lines(code) {
				m := detector.FindStringSubmatch(line)
				if m == nil {
					if inOurs && strings.Contains(line, "CALL runtime.newproc(") && name != "0pep/taps.Start" {
						t.Errorf("%q: %s starts a goroutine, and the detector does not see how the others wait for it", flags, name)
					}
					continue
				}
				file, _, _ := strings.Cut(strings.TrimSpace(line), ":")
				inlined, err := filepath.Glob(filepath.Join("..", "..", "..", "runtime", "*", file))
				if err != nil {
					t.Fatal(err)
				}
				if inOurs || len(inlined) > 0 {
					t.Errorf("%q: %s calls %s: %s", flags, name, m[1], line)
				}
				theirs++
			}
		}
		if ours < 100 || theirs == 0 {
			t.Errorf("%q: %d functions of ours, %d calls of the detector: want 100 or more, and at least one of package main",
				flags, ours, theirs)
		}
		for range 4 {
			cmd := exec.Command(prog)
			cmd.Env = append(os.Environ(), "PEPDIR="+t.TempDir(), "PEPOPTS=tick=2ms")
			if out, err := cmd.CombinedOutput(); string(out) != string(want) || err != nil {
				t.Errorf("%q: %v\n%s", flags, err, out)
				break
			}
		}
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "RACES=", "PEPDIR="+t.TempDir(), "PEPOPTS=tick=2ms")
		race := fmt.Sprintf("main.go:%d ", 1+strings.Count(fiftyGoroutines[:strings.Index(fiftyGoroutines, "// races")],
			"\n"))
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 66 ||
			!strings.Contains(string(out), "WARNING: DATA RACE\n") || !strings.Contains(string(out), race) {
			t.Errorf("%q: the detector does not report the race at %s: %v\n%s", flags, race, cmd.ProcessState, out)
		}
	}
}
