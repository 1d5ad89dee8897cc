package core

import (
	"bufio"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// STRAT-27: if a program is killed, every event is in the profile, except for as many as
// the profile says.
func TestKilledProgramsLoseNothingUncounted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Parallel()
	const runs, goroutines = 30, 64
	exe := newLinker(t, "", target{}).program("kill.go", tapTables())
	unsure, certain, least, most := 0, 0, 0, 0
	for i := range runs {
		counted := filepath.Join(t.TempDir(), "counted")
		if err := os.WriteFile(counted, make([]byte, goroutines*64), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd, r := command(t, exe, nil, counted)
		cmd.Stdout = nil
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err, &r.stderr)
		}
		time.Sleep(time.Duration(i*i) * 50 * time.Microsecond) // also when the program has tapped next to nothing
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		files, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
		if out, err := writeCommand(exe, files[0]).CombinedOutput(); len(out) > 0 || err != nil {
			t.Fatalf("%s%v", out, err)
		}
		data, err := os.ReadFile(counted)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for g := range goroutines {
			want += int(binary.LittleEndian.Uint64(data[g*64:]))
		}
		p := r.profile(t, "values")
		f := pepbuildtest.Facts(t, p)
		events, dropped := int(f.Number(facts.Events)), int(f.Number(facts.Dropped))
		bound := goroutines // the profile may have an event that the program has not counted yet
		if n := int(f.Number(facts.Unsure)); n > 0 {
			bound += n
			unsure++
		} else {
			certain++
		}
		least, most = min(least, events-want), max(most, events-want)
		sum := 0
		for _, s := range p.Sample {
			sum += int(s.Value[0])
		}
		if d := events + dropped - want; d < -bound || d > bound || dropped > 0 {
			t.Errorf("run %d: %d events of %d, may be %d off: %s", i, events, want, bound, p.Comments[0])
		}
		if d := sum - want; d < -bound || d > bound {
			t.Errorf("run %d: %d events in the profile, of %d, may be %d off", i, sum, want, bound)
		}
		if bound > 4000 || f.Number(facts.InEngines)+f.Number(facts.InBuffers) > 0 {
			t.Errorf("run %d: %s", i, p.Comments[0])
		}
	}
	t.Logf("%d runs that say they may be off, %d that do not; off by %d to %d", unsure, certain, least, most)
}
