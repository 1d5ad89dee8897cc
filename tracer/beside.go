//go:build linux && amd64

package tracer

// This file keeps peptrace cold and peptrace probe apart: cold takes traps away when they are hit, also those of
// others.

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/pepgo/pep/tracer/internal/proc/process"
)

// A coldSign says that cold has probes in a process, or in all of an executable, as long as it is open: the kernel
// takes it away when this process ends.
type coldSign struct{ net.PacketConn }

func ofProcess(p *process.Process, started uint64) string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("@peptrace cold %s %d %d", space, p.PID, started)
}

func ofExecutable(path string) string {
	var s syscall.Stat_t
	if syscall.Stat(path, &s) != nil {
		return ""
	}
	return fmt.Sprintf("@peptrace cold %d:%d", s.Dev, s.Ino)
}

// sign makes the sign of a name. Where that is forbidden there is none.
func sign(name string) coldSign {
	c, err := net.ListenPacket("unixgram", name)
	if err != nil {
		return coldSign{}
	}
	return coldSign{c}
}

func (s coldSign) close() {
	if s.PacketConn != nil {
		s.Close()
	}
}

// noCold returns an error if cold is at work in a process.
func noCold(p *process.Process, started uint64) error {
	for _, name := range []string{ofProcess(p, started), ofExecutable(p.Exe())} {
		c, err := net.ListenPacket("unixgram", name)
		if err == nil {
			c.Close()
			continue
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("process %d: peptrace cold is at work there, and would take these probes away; end it first",
				p.PID)
		}
	}
	return nil
}
