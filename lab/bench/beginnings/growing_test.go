package beginnings

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/profiles"
	"github.com/pepgo/pep/lab/bench/programs"
)

// The profiles of a running program grow, and the last is that of the whole run. What paths say of
// branches is what the profile of edges says.
func TestProfilesOfARunningProgramGrow(t *testing.T) {
	cfg := benchtest.Config(t)
	cfg.Programs, cfg.Packages, cfg.Scale = []string{"flips"}, ".", 12
	err := cfg.Each(func(p *programs.Program) error {
		if err := p.BuildInstrumented(programs.Exact, "-pepmode=exact"); err != nil {
			return err
		}
		growing, err := Growing(p, programs.Exact, "PEPOPTS=")
		if err != nil {
			return err
		}
		if len(growing) < 3 {
			t.Fatalf("%d profiles of a run, want 3 or more", len(growing))
		}
		for i := 1; i < len(growing); i++ {
			if flow(since(growing[i], growing[i-1])) != flow(growing[i])-flow(growing[i-1]) {
				t.Errorf("profile %d of %d has lost counts", i, len(growing))
			}
		}
		exact, err := profiles.Of(p, programs.Exact)
		if err != nil {
			return err
		}
		paths, err := summed(exact.File)
		if err != nil {
			return err
		}
		if diff := gocmp.Diff(biases(exact.Outcomes), biasesOf(paths)); diff != "" {
			t.Errorf("biases of paths, and of edges (-edges +paths):\n%s", diff)
		}
		if diff := gocmp.Diff(biasesOf(paths), biasesOf(growing[len(growing)-1])); diff != "" {
			t.Errorf("two exact runs of a program without concurrency differ:\n%s", diff)
		}
		for _, v := range Overlaps(growing) {
			if !(v.Value > 0 && v.Value <= 1) { // nor NaN
				t.Errorf("%s is %v, want a share", v.Unit, v.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
