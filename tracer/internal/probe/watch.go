//go:build linux && amd64

package probe

// This file lets probes count until there is a reason to stop.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pepgo/pep/tracer/internal/proc/process"
)

// pause is how long Watch waits before it looks again whether sites were switched off. Such
// a site costs the target a trap per hit until it is detached.
const pause = 50 * time.Millisecond

// Watch waits until the context is done or the process has ended, detaches sites that were
// switched off, and then detaches all. It returns why it ended, as the end of "until …".
func (s *Session) Watch(ctx context.Context) (ended string, err error) {
	ended, err = s.watch(ctx)
	s.stepped = s.stepped || !s.mayStep && steps(s.process)
	return ended, errors.Join(err, s.Detach())
}

// Stepped reports whether the kernel has stepped over an instruction of a site that is not
// Slow. Package site has the rules of Linux 6.6 to 6.18; another kernel may emulate fewer
// instructions. Counts are right all the same, but hits take longer than Limits assumes.
func (s *Session) Stepped() bool { return s.stepped }

// steps reports whether the kernel has stepped over an instruction of a process because of a
// probe, now or earlier: it then has a page for copies of such instructions.
func steps(p *process.Process) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.PID))
	return err == nil && bytes.Contains(maps, []byte(" [uprobes]\n"))
}

func (s *Session) watch(ctx context.Context) (string, error) {
	for {
		if ctx.Err() != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return "the time was over", nil
			}
			return "interrupted", nil
		}
		exited := s.process.Wait(pause)
		if err := s.process.Check(); exited || errors.Is(err, process.ErrExited) {
			return "the process ended", nil
		} else if errors.Is(err, process.ErrExec) {
			return "the process executed another program", nil
		} else if err != nil {
			return "an error", err
		}
		left, err := s.Prune()
		if err != nil {
			return "an error", err
		}
		if !left {
			return "all probes were switched off", nil
		}
	}
}
