package sampler

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A clock that is redrawn interrupts at a new distance each time. The kernel notes the clock's time at each interrupt,
// which is time that the thread has run. A busy machine delivers interrupts late and never early, so the test has no
// upper limit. Sixty fair draws from 250 to 750 us have none below 375 us with a chance of 0.75⁶⁰, 3 in a hundred
// million.
func TestRedrawChangesPeriods(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	o := &Options{Interval: 500 * time.Microsecond, Jitter: 0.5}
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: uint64(o.Interval),
		Sample_type: unix.PERF_SAMPLE_READ,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, unix.ENOSYS) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	page := os.Getpagesize()
	ring, err := unix.Mmap(fd, 0, 9*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(ring)
	head := (*unix.PerfEventMmapPage)(unsafe.Pointer(&ring[0]))
	e := &events{fds: []int{fd}}
	var periods []uint64
	at := uint64(0) // what was read of the ring
	for range 60 {
		e.redraw(o)
		var last uint64
		var apart []uint64
		for n := 0; n < 12; {
			if at == atomic.LoadUint64(&head.Data_head) {
				continue
			}
			record := ring[page+int(at%uint64(8*page)):]
			at += uint64(binary.NativeEndian.Uint16(record[6:]))
			if binary.NativeEndian.Uint32(record) != unix.PERF_RECORD_SAMPLE {
				continue
			}
			now := binary.NativeEndian.Uint64(record[8:])
			if n++; n > 2 { // the kernel begins anew between the first two
				apart = append(apart, now-last)
			}
			last = now
		}
		slices.Sort(apart)
		periods = append(periods, apart[len(apart)/2])
	}
	least, most := slices.Min(periods), slices.Max(periods)
	t.Logf("periods %v", periods)
	if least < 225_000 || least > 450_000 || most < least*12/10 {
		t.Errorf("periods are %d to %d ns, want different ones of which the least is 250,000 to 375,000", least, most)
	}
}
