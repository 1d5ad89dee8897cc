package bench

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestPartsHaveNames(t *testing.T) {
	_, err := PaperLines(&Config{}, "pep-32", PartOptions{1, 1})
	if err == nil || !strings.Contains(err.Error(), `no part "pep-32": there are one-time, order, `) {
		t.Errorf("got %v", err)
	}
}

// The profiles of a running program grow, and the last is that of the whole run. What paths say of
// branches is what the profile of edges says.
func TestProfilesOfARunningProgramGrow(t *testing.T) {
	cfg := smokeConfig(t)
	cfg.Programs, cfg.Packages, cfg.Scale = []string{"flips"}, ".", 12
	err := cfg.each(func(p *program) error {
		if err := p.pepbuild(exactBuild, "-pepmode=exact"); err != nil {
			return err
		}
		growing, err := p.growing(exactBuild, "PEPOPTS=")
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
		exact, run := profiled(t, p, exactBuild)
		paths, err := summed(run.Paths)
		if err != nil {
			return err
		}
		if diff := gocmp.Diff(biases(exact.outcomes), biasesOf(paths)); diff != "" {
			t.Errorf("biases of paths, and of edges (-edges +paths):\n%s", diff)
		}
		if diff := gocmp.Diff(biasesOf(paths), biasesOf(growing[len(growing)-1])); diff != "" {
			t.Errorf("two exact runs of a program without concurrency differ:\n%s", diff)
		}
		for _, v := range beginnings(growing) {
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

// Each part measures a small program, and its lines have the programs and the variants.
func TestParts(t *testing.T) {
	cfg := smokeConfig(t)
	cfg.Programs, cfg.Packages, cfg.Scale = []string{"flips"}, ".", 5
	for part, lines := range map[string][]string{
		"settings": {"\nBenchmarkRun/program=flips/variant=PEP(1024,17)/layout=0 1 "},
		"one-time": {"\nBenchmarkOneTime/program=flips 1 "},
		"exact": {"\nBenchmarkRun/program=flips/variant=exact_edges/layout=0 1 ",
			"\nBenchmarkRun/program=flips/variant=exact_edges+plain_additions/layout=0 1 ",
			"\nBenchmarkExact/program=flips/variant=join 1 "},
		"driven": {"\nBenchmarkRun/program=flips/variant=one-time/layout=0 1 ", "\nBenchmarkRun/program=flips/variant=flipped/layout=0 1 "},
	} {
		text, err := PaperLines(cfg, part, PartOptions{1, 1})
		for _, want := range lines {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %v; want %q in\n%s", part, err, want, text)
			}
		}
	}
}
