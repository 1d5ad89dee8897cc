package interp

// This file says what system calls return that a window goes on behind. Paths with a system call would never be whole
// in a window, and in servers most paths of an outer function have one. Some calls change nothing that the thread can
// read, and nearly always succeed; then all that the window needs is what they return:
//
//	n, err := f.Write(b)    SYSCALL with RAX = 1, RDX = len(b)    afterwards RAX = len(b)

// Numbers of system calls of Linux on amd64.
const (
	sysWrite     = 1
	sysClose     = 3
	sysPwrite    = 18
	sysSendto    = 44
	sysFsync     = 74
	sysFdatasync = 75
	sysFutex     = 202
	sysEpollCtl  = 233
	sysTgkill    = 234

	futexOperation = 127 // the bits of the operation
	futexWake      = 1
)

// syscall executes SYSCALL, behind which the program counter is next, if the call is one of these. A write writes all,
// and a thread that waits is woken.
func (m *Machine) syscall(next uint64) bool {
	var result uint64
	switch m.R[rAX] {
	case sysWrite, sysPwrite, sysSendto:
		result = m.R[rDX]
	case sysClose, sysFsync, sysFdatasync, sysEpollCtl, sysTgkill:
	case sysFutex:
		if m.R[rSI]&futexOperation != futexWake {
			m.stop = Syscall
			return false
		}
		result = 1
	default:
		m.stop = Syscall
		return false
	}
	m.R[rCX], m.R[11] = next, m.flags()|0x202
	m.R[rAX] = result
	return true
}
