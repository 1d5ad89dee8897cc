package pepfigures

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

var update = flag.Bool("update", false, "write testdata/measured.txt")

type plant = func(m *figure.Measured, column string)

func together(list ...plant) plant {
	return func(m *figure.Measured, c string) {
		for _, p := range list {
			p(m, c)
		}
	}
}

// times plants ratios to the plain program, of each program one for each layout. %s is the column.
func times(variant string, programs ...[]float64) plant {
	return func(m *figure.Measured, c string) {
		for i, x := range programs {
			m.Set("time/session/"+string(rune('a'+i))+"/"+strings.ReplaceAll(variant, "%s", c), x...)
		}
	}
}

// accurate plants an accuracy of each program, in each run.
func accurate(variant, metric string, programs ...[]float64) plant {
	return func(m *figure.Measured, c string) {
		v, unit := variant, "sample-"+metric
		if v == "%s" {
			v, unit = c, unitOf(metric, c == windows)
		}
		for i, x := range programs {
			p := string(rune('a' + i))
			m.Set(strings.Join([]string{"accuracy", workload, p, v, unit}, "/"), x...)
			m.Set(strings.Join([]string{"accuracy", workload, p, v, "wall"}, "/"), m.Of("accuracy", workload, p, v, "wall")...)
			if m.Of("accuracy", workload, p, v, "wall") == nil {
				m.Set(strings.Join([]string{"accuracy", workload, p, v, "wall"}, "/"), x...)
			}
		}
	}
}

// single plants the numbers of one name.
func single(name string, x ...float64) plant {
	return func(m *figure.Measured, c string) { m.Set(strings.ReplaceAll(name, "%s", c), x...) }
}

// built plants seconds of builds and of runs, plain and of the column.
func built(plainBuild, plainRun, build, run float64) plant {
	return together(single("build/a/"+plain, plainBuild), single("seconds/builds/a/"+plain, plainRun),
		single("build/a/%s", build), single("seconds/builds/a/%s", run))
}

// settings plants a metric with 64, 256 and 1024 samples at a tick.
func settings(metric string, few, more, many float64) plant {
	return together(accurate(pep, metric, []float64{few}), accurate(medium, metric, []float64{more}),
		accurate(large, metric, []float64{many}))
}

// phases plants the overlap of the program that changes, and that of its one-time profile.
func phases(oneTime float64, overlap ...float64) plant {
	return func(m *figure.Measured, c string) {
		m.Set("one-time/"+phased+"/one-time", oneTime)
		m.Set(strings.Join([]string{"accuracy", workload, phased, c, unitOf("relative", c == windows)}, "/"), overlap...)
	}
}

func x(list ...float64) []float64 { return list }

// What agrees with each claim, and then what refutes it.
func TestClaimsCanBeRefuted(t *testing.T) {
	ends := func(header, back float64) plant {
		return together(single("exact/a/header/ends", header), single("exact/a/backedge/ends", back))
	}
	order := func(cold, hot float64) plant {
		return together(single("instructions/a/guided", cold), single("instructions/a/coldest", hot))
	}
	optimised := func(profiled, after []float64) plant {
		return together(times("profiled_run", profiled), times("branches+sampled", after))
	}
	figuretest.Planted(t, &Beside, &figure.Measured{}, map[string][]plant{
		"1.2": {times("%s", x(1.01, 1.01), x(1.019, 1.01)), times("%s", x(1.01, 1.01), x(1.03, 1.03)),
			times("%s", x(1.01, 1.02))},
		"4.3": {times("%s", x(1.05), x(1.01)), times("%s", x(1.06), x(0.9))},
		"1.1": {times(noTicks, x(1.02), x(1)), times(noTicks, x(1.02), x(1.01))},
		"5.4": {times(noTicks, x(1.06), x(1)), times(noTicks, x(1.07), x(0.9))},
		"timer": {together(times(noTicks, x(1.2)), times(one, x(1.21))),
			together(times(noTicks, x(1.2)), times(one, x(1.22)))},
		"0.1": {together(times(noTicks, x(1.2)), times(pep, x(1.201))),
			together(times(noTicks, x(1.2)), times(pep, x(1.203)))},
		"others-add": {
			together(times(noTicks, x(1)), times(medium, x(1.01)), times(large, x(1.02))),
			together(times(noTicks, x(1)), times(medium, x(1.001)), times(large, x(1.02))),
			together(times(noTicks, x(1)), times(medium, x(1.01)), times(large, x(1.03))),
		},
		"faster": {times(noTicks, x(0.99), x(1.1)), times(noTicks, x(1), x(1.1))},
		"bulk": {
			together(times(noTicks, x(1.1)), times(exact, x(1.3))),
			together(times(noTicks, x(1.2)), times(exact, x(1.3))),
		},
		"92":        {times(exact, x(2), x(2.2)), times(exact, x(2), x(2.4))},
		"407":       {times(exact, x(2), x(6)), times(exact, x(2), x(6.2))},
		"10":        {times(edges+added, x(1.1), x(1.14)), times(edges+added, x(1.1), x(1.16))},
		"34":        {times(edges+added, x(1.01), x(1.42)), times(edges+added, x(1.01), x(1.43))},
		"1.6":       {built(10, 10, 10.39, 10), built(10, 10, 10.41, 10)},
		"4.6":       {built(10, 10, 11, 10.1), built(10, 10, 11, 10.2)},
		"compiling": {built(10, 10, 10.4, 10.3), built(10, 10, 10.3, 10.4)},
		"94":        {accurate("%s", "wall", x(95, 94), x(93, 94)), accurate("%s", "wall", x(95, 93), x(93, 93))},
		"53":        {accurate(one, "wall", x(60)), accurate(one, "wall", x(42)), accurate(one, "wall", x(67))},
		"not-sufficient": {
			together(accurate(pep, "wall", x(94)), accurate(one, "wall", x(74))),
			together(accurate(pep, "wall", x(94)), accurate(one, "wall", x(75))),
		},
		"higher-rates": {settings("wall", 90, 94, 95), settings("wall", 90, 94, 96), settings("wall", 90, 89, 94)},
		"96":           {accurate("%s", "relative", x(96), x(96)), accurate("%s", "relative", x(96), x(95))},
		"higher-edges": {settings("relative", 90, 94, 95), settings("relative", 90, 94, 96),
			settings("relative", 90, 89, 94)},
		"83":    {accurate("%s", "absolute", x(84), x(82)), accurate("%s", "absolute", x(84), x(81))},
		"87":    {accurate(medium, "absolute", x(87)), accurate(medium, "absolute", x(86))},
		"88":    {accurate(large, "absolute", x(88)), accurate(large, "absolute", x(87))},
		"steps": {settings("absolute", 80, 81, 82), settings("absolute", 80, 81, 81), settings("absolute", 81, 80, 90)},
		"lower": {
			together(accurate("%s", "relative", x(90)), accurate("%s", "absolute", x(89))),
			together(accurate("%s", "relative", x(90)), accurate("%s", "absolute", x(90))),
		},
		"headers":   {ends(120, 100), ends(130, 100), ends(79, 100)},
		"hot-edges": {order(1.1, 1.101), order(1.1, 1.1), order(1.1, 1.09)},
		"1.4":       {order(1.1, 1.117), order(1.1, 1.118)},
		"97": {
			together(single("one-time/a/one-time", 97), single("one-time/flips/one-time", 50)),
			together(single("one-time/a/one-time", 96.9), single("one-time/flips/one-time", 100)),
		},
		"86": {
			together(single("one-time/a/one-time", 86), single("one-time/b/one-time", 100),
				single("one-time/flips/one-time", 50)),
			together(single("one-time/a/one-time", 85), single("one-time/b/one-time", 100)),
		},
		"0.9": {
			together(times("one-time", x(1.009)), times("continuous", x(1))),
			together(times("one-time", x(1.002)), times("continuous", x(1))),
			together(times("one-time", x(1.02)), times("continuous", x(1))),
		},
		"flipped": {
			together(times("flipped", x(1.01)), times("continuous", x(1))),
			together(times("flipped", x(1)), times("continuous", x(1))),
		},
		"1.3":      {optimised(x(1.05), x(0.98)), optimised(x(1.05), x(0.99))},
		"3.2":      {optimised(x(1.1), x(0.97)), optimised(x(1.1), x(0.99))},
		"outweigh": {optimised(x(1.05), x(0.98)), optimised(x(1.02), x(0.98))},
		"striding": {
			together(times(pep, x(1.1)), times(regular, x(1.101))),
			together(times(pep, x(1.1)), times(regular, x(1.1))),
		},
		"striding-gain": {
			together(accurate(pep, "wall", x(90)), accurate(regular, "wall", x(95))),
			together(accurate(pep, "wall", x(90)), accurate(regular, "wall", x(96))),
		},
		"phased": {phases(80, 90, 91), phases(80, 89, 89)},
	}, [2]string{pep, windows})
}

// Programs that are faster in some layouts only are so by the layouts. One that is faster in all of them refutes that.
func TestWhyProgramsAreFaster(t *testing.T) {
	for want, plant := range map[string]plant{
		"in some of them: a in 1, b in 2, no other. No program is in all": times(noTicks, x(0.98, 1.1, 1.1), x(0.98, 0.9, 1),
			x(1, 1, 1)),
		"in some of them: b in 1, no other. a is in all of them, which": times(noTicks, x(0.98, 0.9, 0.99), x(1.1, 0.98, 1)),
	} {
		m := &figure.Measured{}
		plant(m, "")
		if got := whyFaster(m); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A cheap recount: what is read of a few lines and of a short page. If this fails, numbers on the page mean
// something else: make it again (make paper-pep), and this file with -update.
func TestRecount(t *testing.T) {
	m := &figure.Measured{}
	if err := measure(&figure.Env{Lines: "testdata/lines", Results: "testdata"}, m); err != nil {
		t.Fatal(err)
	}
	want := "accuracy: commit abc1, workload 100%|times: commit abc2, workload 50%|pgo.md: commit abc4-dirty"
	if got := strings.Join(m.Header, "|"); got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	m.Header = nil
	figuretest.Recount(t, m, "testdata/measured.txt", *update)
}

// What cannot be read is an error that says what is wanted.
func TestWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"workload: 1%\nBenchmarkRun/program=a/variant=windows/layout=0 1 2 cpu-sec/op\n": "has no plain runs",
		"BenchmarkRun/program=a/variant=plain/layout=0 1 2 cpu-sec/op\n": "want a program, and the " +
			"workload above it",
		"workload: 1%\nBenchmarkOther/program=a 1 2 x\n": "nothing is known of lines Other",
		"workload: 1%\nBenchmarkRun/program=a 1 x y\n":   "parsing",
		"": "make paper-pep",
	} {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(dir+"/x.txt", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := measure(&figure.Env{Lines: dir, Results: "testdata"}, &figure.Measured{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for page, want := range map[string]string{
		"": "want a commit, and a part",
		"x, commit abc.\n\n## H\n\nno table\n\n## I\n":                                     "has no table",
		"x, commit abc.\n\n## H\n\n| program | plain | a |\n|--|--|--|\n| p | 1 s | x |\n": `"x" is no ratio`,
		"x, commit abc.\n\n## H\n\n| program | plain | a |\n|--|--|--|\n| p | 1 s |\n":     "want 3 cells",
	} {
		name := t.TempDir() + "/page.md"
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := readPage(name, "H", "page", &figure.Measured{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", page, err, want)
		}
	}
}
