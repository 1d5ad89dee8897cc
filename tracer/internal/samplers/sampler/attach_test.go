package sampler_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

var _ capture.Source = (*sampler.Sampler)(nil)

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		options sampler.Options
		want    string
	}{
		{sampler.Options{}, "no process is named"},
		{sampler.Options{All: true, Threads: true}, "named processes only"},
		{sampler.Options{All: true, Ticks: true, Threads: true}, "not of threads"},
		{sampler.Options{All: true, Interval: time.Microsecond}, "10µs"},
		{sampler.Options{All: true, Jitter: 1}, "below 1"},
		{sampler.Options{All: true, Length: 257}, "at most 256"},
		{sampler.Options{All: true, Every: -1}, "at least 1"},
	} {
		if _, err := sampler.Attach(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Attach(%+v): %v, want an error with %q", c.options, err, c.want)
		}
	}
}

// TestBufferIsFetchedInTime compares how often runs are fetched with what the CPUs can write
// meanwhile: at most an eighth of the buffer, and a user waits for at most 100 ms.
func TestBufferIsFetchedInTime(t *testing.T) {
	const buffer = 1 << 22
	for _, o := range []sampler.Options{
		{Interval: time.Second / 997, Every: 1, Length: 4},
		{Interval: 124 * time.Microsecond, Every: 2, Length: 4},
		{Interval: 124 * time.Microsecond, Every: 1, Length: 64},
		{Interval: 100 * time.Microsecond, Every: 1, Length: 256},
	} {
		wait := sampler.FetchEvery(&o, buffer)
		runs := float64(wait) / float64(o.Interval) / float64(o.Every) * float64(runtime.NumCPU())
		bytes := runs * float64(72+56*o.Length)
		t.Logf("%+v: every %v, %.0f bytes", o, wait, bytes)
		if wait < time.Millisecond || wait > 100*time.Millisecond || bytes > buffer/8 && wait > time.Millisecond {
			t.Errorf("length %d every %v: fetched every %v, when there can be %.0f bytes", o.Length, o.Interval, wait, bytes)
		}
		if quarter := 4 * wait; bytes < buffer/64 && quarter < 100*time.Millisecond {
			t.Errorf("length %d every %v: fetched every %v although there are only %.0f bytes", o.Length, o.Interval, wait,
				bytes)
		}
	}
}

func TestProcessThatDoesNotExist(t *testing.T) {
	s, err := sampler.Attach(sampler.Options{PIDs: []int{1 << 22}})
	if err == nil {
		s.Close()
		t.Fatal("Attach to a process that does not exist works")
	}
	if strings.Contains(err.Error(), "CAP_") {
		t.Skip(err)
	}
	if !strings.Contains(err.Error(), "process 4194304: there is no such process") {
		t.Error(err)
	}
}

// TestWithoutRights calls Attach as a user without capabilities.
func TestWithoutRights(t *testing.T) {
	if os.Getenv("SAMPLER_WITHOUT_RIGHTS") != "" {
		_, err := sampler.Attach(sampler.Options{All: true})
		os.Stdout.WriteString("Attach: " + err.Error() + "\n")
		return
	}
	other := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	machinetest.NeedProcess(t, "as another user", other)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The user nobody may not read the directory of the test.
	name := t.TempDir() + "/test"
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.MemfdCreate("test", 0)
	if err != nil {
		t.Skip("no anonymous files: ", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/fd/3", "-test.run=TestWithoutRights")
	cmd.ExtraFiles = []*os.File{f}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "SAMPLER_WITHOUT_RIGHTS=1")
	cmd.SysProcAttr = other
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "Attach: sampler: ") || !strings.Contains(string(out), "CAP_BPF and CAP_PERFMON") {
		t.Errorf("the error does not name the capabilities:\n%s", out)
	}
}

// BenchmarkRun measures how long the program in the kernel takes for an interrupt, with runs
// of several lengths. One operation is one interrupt.
func BenchmarkRun(b *testing.B) {
	stats, err := sampler.EnableTimes()
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	tg := start(b, build(b), "forever")
	for _, c := range []struct {
		name    string
		options sampler.Options
	}{
		{"count", sampler.Options{CountOnly: true}},
		{"length=4", sampler.Options{Length: 4}},
		{"length=8", sampler.Options{Length: 8}},
		{"length=32", sampler.Options{Length: 32}},
		{"length=128", sampler.Options{Length: 128}},
		{"length=4,skip=15", sampler.Options{Length: 4, Skip: 15}},
		{"length=4,skip=63", sampler.Options{Length: 4, Skip: 63}},
		{"length=4,skip=255", sampler.Options{Length: 4, Skip: 255}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.options.PIDs, c.options.Interval = []int{tg.pid}, 250*time.Microsecond
			s := attach(b, c.options)
			go func() {
				var r capture.Run
				for s.Next(&r) == nil {
				}
			}()
			time.Sleep(100 * time.Millisecond) // until the code is decoded
			first, err := s.Stats()
			if err != nil {
				b.Fatal(err)
			}
			st := first
			b.ResetTimer()
			for st.Interrupts-first.Interrupts < uint64(b.N) {
				time.Sleep(time.Millisecond)
				if st, err = s.Stats(); err != nil {
					b.Fatal(err)
				}
			}
			interrupts := float64(st.Interrupts - first.Interrupts)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(st.Time-first.Time)/interrupts, "ns/interrupt")
			b.ReportMetric(float64(st.Steps-first.Steps)/interrupts, "steps/interrupt")
			b.ReportMetric(float64(st.Recursion-first.Recursion), "recursions")
			b.ReportMetric(float64(st.Dropped-first.Dropped), "dropped")
		})
	}
}
