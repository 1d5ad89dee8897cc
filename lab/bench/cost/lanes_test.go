package cost

import (
	"errors"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/programs"
)

// Two programs are measured at the same time, processes of each on one processor, which differ, and
// the costs are in the order of the programs.
func TestLanes(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		t.Skip("needs Linux and two processors")
	}
	cfg := benchtest.Names(t, "a", "b", "c", "d")
	cfg.Lanes = 2
	var both sync.WaitGroup // a and b begin; each waits until the other one has begun
	both.Add(2)
	allowed := regexp.MustCompile(`Cpus_allowed_list:\t(\d+)\n`)
	costs, err := Measure(cfg, func(p *programs.Program) (Cost, error) {
		if p.Name == "a" || p.Name == "b" {
			both.Done()
			both.Wait()
		}
		out, err := exec.Command("cat", "/proc/self/status").Output()
		if err != nil {
			return Cost{}, err
		}
		m := allowed.FindStringSubmatch(string(out))
		if m == nil {
			t.Errorf("%s: a process may use more than one processor", p.Name)
			return Cost{Program: p.Name}, nil
		}
		return Cost{Program: p.Name, Variants: []Variant{{Name: m[1]}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range costs {
		names = append(names, c.Program)
	}
	if got := strings.Join(names, " "); got != "a b c d" {
		t.Errorf("costs of %s, want a b c d", got)
	}
	if a, b := costs[0].Variants, costs[1].Variants; len(a) == 1 && len(b) == 1 && a[0].Name == b[0].Name {
		t.Errorf("a and b ran at the same time, both on processor %s", a[0].Name)
	}
}

// An error of one program ends its lane; the error names the program.
func TestLaneError(t *testing.T) {
	cfg := benchtest.Names(t, "a", "b")
	measured := 0
	_, err := Measure(cfg, func(*programs.Program) (Cost, error) {
		measured++
		return Cost{}, errors.New("no compiler")
	})
	if err == nil || err.Error() != "a: no compiler" || measured != 1 {
		t.Errorf("%d programs measured, error %v; want 1 and %q", measured, err, "a: no compiler")
	}
}

func TestTooManyLanes(t *testing.T) {
	cfg := benchtest.Names(t, "a")
	for _, cfg.Lanes = range []int{-1, 1 << 20} {
		if _, err := Measure(cfg, func(*programs.Program) (Cost, error) { return Cost{}, nil }); err == nil {
			t.Errorf("no error with %d lanes", cfg.Lanes)
		}
	}
}
