package vsampfigures

// This file samples live programs.

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/sampling"
)

// How long experiments take: rounds of those with one program, the workload of programs in percent, CPU time for each
// bias, and the time after which no program begins.
const (
	rounds = 6
	scale  = 20
	bias   = 8 * time.Second
	limit  = 11 * time.Minute
)

// measure reads the recorded loads of the test programs, and then samples these programs, and gofmt. It needs the
// rights of peptrace values.
func measure(env *figure.Env, m *figure.Measured) (err error) {
	if err := hotlists(env, m); err != nil {
		return err
	}
	e := sampling.Experiment{Rounds: rounds, Scale: scale, Log: os.Stderr}
	if e.Root, err = driver.Root(); err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	e.Goroot = strings.TrimSpace(string(goroot))
	if e.Work, err = os.MkdirTemp("", "sampling"); err != nil {
		return err
	}
	defer os.RemoveAll(e.Work)
	list := []string{"bitboard", "filters", "gofmt -l $GOROOT/src/runtime"}
	for _, p := range figure.Programs {
		list = append(list, p.Name)
	}
	return e.Measure(m, list, bias, limit)
}
