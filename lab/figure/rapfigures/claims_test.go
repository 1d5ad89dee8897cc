package rapfigures

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

var update = flag.Bool("update", false, "write testdata/measured.txt")

type plant = func(m *figure.Measured, column string)

// all10 plants numbers of each program; %s is the column, and i the number of the program.
func all10(name string, of func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		for i, p := range figure.Programs {
			m.Set(p.Name+"/"+strings.ReplaceAll(name, "%s", c), of(i)...)
		}
	}
}

// one plants the numbers of one name.
func one(name string, x ...float64) plant {
	return func(m *figure.Measured, c string) { m.Set(strings.ReplaceAll(name, "%s", c), x...) }
}

func together(list ...plant) plant {
	return func(m *figure.Measured, c string) {
		for _, p := range list {
			p(m, c)
		}
	}
}

// codeAndValues plants a number of the trees of code and of values.
func codeAndValues(name string, code, values func(i int) []float64) plant {
	return together(all10("blocks/"+name, code), all10("loads/"+name, values))
}

// byOption plants the most nodes with each number of an option, the same for code and values.
func byOption(option string, numbers []int, most ...float64) plant {
	var list []plant
	for i, k := range numbers {
		list = append(list, codeAndValues(fmt.Sprintf("%s/%d", option, k), figuretest.Always(most[i]),
			figuretest.Always(most[i])))
	}
	return together(list...)
}

// inPipeline plants a number of the hardware, the same for code and values and both errors.
func inPipeline(what string, of func(i int) []float64) plant {
	return together(codeAndValues("pipeline/%s/1%/"+what, of, of), codeAndValues("pipeline/%s/10%/"+what, of, of))
}

func covered(kind string, x, loads float64) plant {
	return together(all10("pairs/%s/"+kind, figuretest.Always(x)), all10("pairs/%s/loads", figuretest.Always(loads)))
}

func sizes(values, code float64) plant {
	return codeAndValues("%s/10/average", figuretest.Always(code), figuretest.Always(values))
}

func farLess(most float64) plant {
	return together(all10("blocks/%s/10/worst-case", figuretest.Always(10)),
		all10("blocks/%s/10/average", figuretest.Always(100)),
		all10("blocks/%s/10/most", figuretest.Always(most)))
}

// What agrees with each claim, and then what refutes it.
func TestClaimsCanBeRefuted(t *testing.T) {
	bs, qs := []int{2, 4, 8, 16}, []int{2, 3, 4, 8}
	none := math.NaN()
	figuretest.Planted(t, &Beside, &figure.Measured{}, map[string][]plant{
		"98": {all10("blocks/%s/nodes/500", figuretest.Always(98.1)), all10("blocks/%s/nodes/500", figuretest.Always(97.9)),
			all10("blocks/%s/nodes/500", figuretest.Some(9, 99, none))},
		"99.73": {all10("blocks/%s/nodes/4096", figuretest.Always(99.8)),
			all10("blocks/%s/nodes/4096", figuretest.Always(99.7))},
		"eps": {codeAndValues("%s/1/of-stream", figuretest.Always(1), figuretest.Always(0.1)),
			codeAndValues("%s/1/of-stream", figuretest.Some(4, 0.5,
				1.1), figuretest.Always(0.1)), codeAndValues("%s/1/of-stream", figuretest.Always(0.1), figuretest.Always(1.2))},
		"lower-bound": {codeAndValues("%s/10/over", figuretest.Always(0), figuretest.Always(-5)),
			codeAndValues("%s/10/over", figuretest.Always(1), figuretest.Always(0))},
		"all-hot": {codeAndValues("exact/%s", figuretest.Always(100), figuretest.Always(100)),
			codeAndValues("exact/%s", figuretest.Always(100), figuretest.Some(5, 99,
				100))},
		"b": {byOption("b", bs, 1, 2, 3, 4), byOption("b", bs, 1, 3, 2, 4), byOption("b", bs, 1, 3, 4, 2)},
		"q": {byOption("q", qs, 1, 2, 3, 4), byOption("q", qs, 2, 1, 3, 4), byOption("q", qs, 2, 3, 4, 1)},
		"1000": {codeAndValues("%s/1/worst-case", figuretest.Always(900), figuretest.Always(1200)),
			codeAndValues("%s/1/worst-case",
				figuretest.Always(100), figuretest.Always(100)),
			codeAndValues("%s/1/worst-case", figuretest.Always(900), figuretest.Always(1300))},
		"384k": {one("theory/before-merge", 384e3), one("theory/before-merge", 38400), one("theory/before-merge", 500e3)},
		"6400": {codeAndValues("%s/1/splits", figuretest.Always(6400), figuretest.Always(1)),
			codeAndValues("%s/1/splits", figuretest.Always(6401),
				figuretest.Always(1)), codeAndValues("%s/1/splits", figuretest.Always(1), figuretest.Always(6401))},
		"buffer": {all10("blocks/pipeline/%s/1%/combined", figuretest.Always(12)), all10("blocks/pipeline/%s/1%/combined",
			figuretest.Always(7)), all10("blocks/pipeline/%s/1%/combined", figuretest.Some(7, 10, 100))},
		"4-cycles": {inPipeline("cycles", figuretest.Always(4.9)), inPipeline("cycles", figuretest.Always(5.1)),
			inPipeline("cycles", figuretest.Some(7, 4.2,
				6))},
		"stalls": {inPipeline("stalls", figuretest.Always(5, 5)), inPipeline("stalls", figuretest.Always(5, 6)),
			inPipeline("stalls", figuretest.Always(11,
				0))},
		"seven": {one("typecheck/blocks/%s/1/hot", 6, 8), one("typecheck/blocks/%s/1/hot", 5),
			one("typecheck/blocks/%s/1/hot", 9)},
		"top-value": {all10("loads/first", figuretest.Always(20)), all10("loads/first", figuretest.Always(15)),
			all10("loads/first", figuretest.Always(51))},
		"fifty": {all10("loads/fifty", figuretest.Always(35)), all10("loads/fifty", figuretest.Always(31)),
			all10("loads/fifty", figuretest.Always(60))},
		"gzip": {one("flate/loads/%s/1/hot", 7), one("flate/loads/%s/1/hot", 4), one("flate/loads/%s/1/hot", 10)},
		"saw-tooth": {all10("blocks/%s/10/drops", figuretest.Some(8, 100, 90)),
			all10("blocks/%s/10/drops", figuretest.Some(7, 100, 90))},
		"far-less": {farLess(500), farLess(501)},
		"500": {all10("blocks/%s/10/most", figuretest.Always(600)),
			all10("blocks/%s/10/most", figuretest.Some(9, 10, 700))},
		"453": {one("typecheck/blocks/%s/10/most", 453), one("typecheck/blocks/%s/10/most", 600)},
		"733": {all10("loads/%s/10/most", figuretest.Always(900)),
			all10("loads/%s/10/most", figuretest.Some(9, 10, 1000))},
		"203": {all10("loads/%s/10/average", figuretest.Always(250)),
			all10("loads/%s/10/average", figuretest.Some(9, 10, 300))},
		"300": {all10("loads/%s/10/average", figuretest.Some(9, 300, 900)),
			all10("loads/%s/10/average", figuretest.Always(380))},
		"450": {all10("blocks/%s/10/average", figuretest.Always(560)),
			all10("blocks/%s/10/average", figuretest.Always(570))},
		"values-less": {sizes(300, 450), sizes(450, 300), sizes(1, 1)},
		"13.5": {all10("blocks/%s/10/error", figuretest.Always(13)),
			all10("blocks/%s/10/error", figuretest.Some(9, 1, 18))},
		"3.1": {one("typecheck/blocks/%s/10/second", 3), one("typecheck/blocks/%s/10/second", 4)},
		"2": {all10("blocks/%s/10/mean-error", figuretest.Some(9, 1, 10)),
			all10("blocks/%s/10/mean-error", figuretest.Always(2.6))},
		"20": {all10("loads/%s/10/error", figuretest.Always(24)),
			all10("loads/%s/10/error", figuretest.Some(9, 1, 26))},
		"10-of-stream": {all10("loads/%s/10/of-stream", figuretest.Always(9.9)),
			all10("loads/%s/10/of-stream", figuretest.Some(9, 1, 10))},
		"3.4": {all10("loads/%s/10/mean-error", figuretest.Always(4.2)),
			all10("loads/%s/10/mean-error", figuretest.Always(4.3))},
		"negligible": {all10("loads/%s/1/error", figuretest.Always(0.5)),
			all10("loads/%s/1/error", figuretest.Some(9, 0.1, 0.6))},
		"56": {all10("pairs/%s/dl1", figuretest.Some(5, 56, none)), all10("pairs/%s/dl1", figuretest.Always(40)),
			all10("pairs/%s/dl1",
				figuretest.Always(80))},
		"misses-local": {covered("dl1", 60, 50), covered("dl1", 50, 50), covered("dl1", 40, 50)},
	}, [2]string{columns[0].name, columns[1].name})
}

// RAP-22: the most nodes and their average are those of a tree that gets one point at a time. RAP-24: more nodes are
// not less accurate.
func TestMeasuredTrees(t *testing.T) {
	points := loops(4, 100_000)
	m := &figure.Measured{}
	if err := measureTrees(m, "x", points, false); err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		tree, err := rap.New(rap.Options{Eps: 0.1, Start: c.start})
		if err != nil {
			t.Fatal(err)
		}
		most, sum := 0, 0
		for _, x := range points {
			tree.Add([]uint64{x})
			most, sum = max(most, tree.Stats().Nodes), sum+tree.Stats().Nodes
		}
		if got := m.First("x", c.name, "10/most"); got < float64(most) || got > float64(most)+4*4 {
			t.Errorf("at most %v nodes, want %d, or as many as there are before a merge", got, most)
		}
		if got, want := m.First("x", c.name, "10/average"),
			float64(sum)/float64(len(points)); !figuretest.Near(got, want, 0.05) {
			t.Errorf("%v nodes on average, want %v", got, want)
		}
	}
	if few, many := m.First("x/ours/nodes/125"), m.First("x/ours/nodes/2000"); few >= many || many > 100 {
		t.Errorf("accuracy %v with 125 nodes, %v with 2000", few, many)
	}
	// With the paper's rules no tree has more nodes than it may have: the least eps of those that fit.
	if fits := m.First("x/rules/nodes/500"); fits < 50 || fits > m.First("x/rules/nodes/4096") {
		t.Errorf("accuracy %v with 500 nodes, %v with 4096", fits, m.First("x/rules/nodes/4096"))
	}
}

// One number for each run, made of all programs that have this run.
func TestAcrossPrograms(t *testing.T) {
	m := &figure.Measured{}
	m.Add("typecheck/x/n", 1, 2, 3)
	m.Add("lua/x/n", 5, 1)
	if got := fmt.Sprint(acrossPrograms(m, figure.Tally.Most, "x", "n")); got != "[5 2 3]" {
		t.Errorf("greatest of each run %s, want [5 2 3]", got)
	}
}

// All hot ranges, by hand: of 100 points, 40 are 5, 15 others are in 4 to 7, and each of the rest has a range of its
// own that is not hot, so that they are in the range of all points.
func TestExactHot(t *testing.T) {
	var points []uint64
	for i := range uint64(45) {
		points = append(points, i<<58|1<<40)
	}
	for range 40 {
		points = append(points, 5)
	}
	for i := range uint64(15) {
		points = append(points, 4+2*(i%2))
	}
	got := fmt.Sprint(exactHot(points))
	if want := fmt.Sprint([][2]uint64{{5, 5}, {4, 7}, {0, 1<<62 - 1}, {1 << 62, 2<<62 - 1},
		{2 << 62, 3<<62 - 1}}); got != want {
		t.Errorf("hot ranges %s, want %s", got, want)
	}
	g, err := grow(rap.Options{Eps: fine, Start: 1}, points, nil)
	if err != nil || len(g.hot) == 0 {
		t.Fatal(err)
	}
}

// A cheap recount: the experiments of the page on made-up events of two programs. If this fails, what the experiments
// measure has changed: make the page again (make paper-rap), and this file with -update.
func TestRecount(t *testing.T) {
	whole := figure.Programs
	figure.Programs = []figure.Program{figure.InRole("gcc"), figure.Named("flate")}
	defer func() { figure.Programs = whole }()
	m := &figure.Measured{}
	if err := measureAll(&figure.Env{Loads: 200_000, Seed: 1, Source: figuretest.Synthetic}, m); err != nil {
		t.Fatal(err)
	}
	figuretest.Recount(t, m, "testdata/measured.txt", *update)
}

// More nodes for values where the 50 most frequent values are less of the loads, and then the reverse, and no order.
func TestWhyMoreForValues(t *testing.T) {
	spread := "so a program needs nodes for values that are spread"
	for _, c := range []struct {
		nodes func(i int) float64
		want  bool
	}{
		{func(i int) float64 { return float64(100 - i) }, true},
		{func(i int) float64 { return float64(100 + i) }, false},
		{func(i int) float64 { return float64(i * 7 % 10) }, false},
	} {
		m := &figure.Measured{}
		for i, p := range figure.Programs {
			m.Add(p.Name+"/loads/fifty", float64(30+i))
			m.Add(p.Name+"/loads/rules/10/average", c.nodes(i))
			m.Add(p.Name+"/blocks/rules/10/average", 100)
		}
		if got := whyMoreForValues(m); strings.Contains(got, spread) != c.want ||
			strings.Contains(got, "are not why") == c.want {
			t.Error(got)
		}
	}
}
