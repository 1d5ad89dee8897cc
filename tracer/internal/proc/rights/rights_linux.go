// Package rights says what the tracer lacks: capabilities and features of the kernel.
//
//	if err := rights.Check(); err != nil {
//		return err // "… lacks the capability CAP_PERFMON: …"
//	}
//
// The tracer needs no root. It needs CAP_BPF to load programs and maps, and CAP_PERFMON for
// programs that look into processes; CAP_SYS_ADMIN includes both. To trace processes of other
// users it also needs CAP_SYS_PTRACE; package process says so where it matters.
package rights

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"
)

// ErrMissing is wrapped by all errors that say which right or which feature of the kernel is
// missing.
var ErrMissing = errors.New("tracing is not possible here")

// A capability is a bit of the sets in /proc/self/status.
type capability struct {
	name string
	bit  int
}

var needed = []capability{{"CAP_BPF", unix.CAP_BPF}, {"CAP_PERFMON", unix.CAP_PERFMON}}

// Check returns nil if this process can attach probes, and otherwise an error that wraps
// ErrMissing, names what is missing, and says what to do.
func Check() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if lacks, err := lacking(string(status)); err != nil {
		return fmt.Errorf("%w: /proc/self/status: %w", ErrMissing, err)
	} else if len(lacks) > 0 {
		return fmt.Errorf("%w: this process lacks %s: run as root, or once: setcap cap_bpf,cap_perfmon=ep PROGRAM",
			ErrMissing, strings.Join(lacks, " and "))
	}
	if err := features.HaveBPFLinkUprobeMulti(); err != nil {
		return fmt.Errorf("%w: the kernel has no uprobe_multi links (%w): they need Linux 6.6 with CONFIG_UPROBE_EVENTS and CONFIG_BPF_EVENTS", ErrMissing, err)
	}
	return nil
}

// Explain adds to an error of the kernel what it means if capabilities are there.
func Explain(err error) error {
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: %w: the kernel refuses although the capabilities are there: containers and user namespaces have them in vain, and kernel_lockdown(7) or a security module can forbid tracing", ErrMissing, err)
	}
	return err
}

// lacking returns the names of the needed capabilities that are not in the effective set of
// a text in the format of /proc/PID/status.
func lacking(status string) (names []string, err error) {
	_, rest, ok := strings.Cut(status, "\nCapEff:")
	if !ok {
		return nil, errors.New("no line CapEff")
	}
	line, _, _ := strings.Cut(rest, "\n")
	set, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	if err != nil {
		return nil, err
	}
	if set>>unix.CAP_SYS_ADMIN&1 == 1 {
		return nil, nil
	}
	for _, c := range needed {
		if set>>c.bit&1 == 0 {
			names = append(names, c.name)
		}
	}
	return names, nil
}
