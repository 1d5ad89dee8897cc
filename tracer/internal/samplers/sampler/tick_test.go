package sampler_test

import (
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// TestTicks samples a program whose values are known at the kernel's own ticks: values have their
// proportions, and all instructions of the loop have the same share. A program that makes a system call
// after the other is interrupted in the kernel as often as its times say.
func TestTicks(t *testing.T) {
	tg := start(t, build(t), "forever")
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Ticks: true, Length: 16, Skip: 63})
	const runs = 400
	first, table := map[uint64]float64{}, map[uint64]float64{}
	n, goroutine := 0.0, 0
	began, used := time.Now(), cpuTime(t, tg.pid)
	collect(t, s, runs, func(r *capture.Run) {
		first[r.Tuples[0].Insn.PC]++
		if r.Goid == 1 {
			goroutine++
		}
		for _, tp := range r.Tuples {
			if v := tp.Result; tp.Known&capture.Result != 0 && tp.Insn.Memory == capture.Load &&
				(v == 11 || v == 22 || v == 33 || v == 44) {
				table[v]++
				n++
				break // of a second one of the run, the first says what it is
			}
		}
	})
	t.Logf("%d runs in %v, %v of the program", runs, time.Since(began), cpuTime(t, tg.pid)-used)
	// Chi-square with 3 degrees of freedom: above 28 once in 270,000 times.
	chi := 0.0
	for v, p := range map[uint64]float64{11: 4. / 8, 22: 2. / 8, 33: 1. / 8, 44: 1. / 8} {
		chi += math.Pow(table[v]-p*n, 2) / (p * n)
	}
	t.Logf("values of the table: %v; chi-square %.1f", table, chi)
	if chi > 28 || n < runs/2 || goroutine < runs*9/10 {
		t.Errorf("values of the table in %.0f of %d runs, %d of them of goroutine 1: want 4:2:1:1 in most", n, runs,
			goroutine)
	}
	var counts []float64
	for _, n := range first {
		if n > runs/200 {
			counts = append(counts, n)
		}
	}
	evenness(t, counts)
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	busy := exec.Command("dd", "if=/dev/zero", "of=/dev/null", "bs=1")
	if err := busy.Start(); err != nil {
		t.Skip(err)
	}
	defer busy.Wait()
	defer busy.Process.Kill()
	s = attach(t, sampler.Options{PIDs: []int{busy.Process.Pid}, Ticks: true})
	var st sampler.Stats
	for end := time.Now().Add(2 * time.Minute); st.Interrupts < 250 &&
		time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var err error
		if st, err = s.Stats(); err != nil {
			t.Fatal(err)
		}
	}
	busy.Process.Kill()
	busy.Wait()
	user, system := busy.ProcessState.UserTime().Seconds(), busy.ProcessState.SystemTime().Seconds()
	all, kernel := float64(st.Interrupts), float64(st.Kernel)
	share := system / (user + system)
	t.Logf("dd: %.0f of %.0f ticks in the kernel, which had %.1f%% of %.2f s", kernel, all, 100*share, user+system)
	// The kernel knows these times from the same ticks, but scales them to the exact sum. Five
	// standard deviations, and five ticks: those before the sampling have their own chance.
	if math.Abs(kernel-share*all) > 5*math.Sqrt(all*share*(1-share))+5 || all < 250 || kernel == 0 || kernel == all {
		t.Errorf("%.0f of %.0f ticks were in the kernel, want %.1f%%", kernel, all, 100*share)
	}
}
