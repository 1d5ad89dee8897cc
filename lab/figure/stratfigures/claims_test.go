package stratfigures

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

type plant = func(m *figure.Measured, column string)

func together(list ...plant) plant {
	return func(m *figure.Measured, c string) {
		for _, p := range list {
			p(m, c)
		}
	}
}

// all plants a number of a compressor for each program; i is the number of the program.
func all(spec, what string, of func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		for i, p := range figure.Programs {
			m.Set(p.Name+"/"+in(spec, c == "ours")+"/"+what, of(i)...)
		}
	}
}

// one plants the numbers of a compressor on one program.
func one(program, spec, what string, x ...float64) plant {
	return func(m *figure.Measured, c string) { m.Set(program+"/"+in(spec, c == "ours")+"/"+what, x...) }
}

func ofTypecheck(spec, what string, x ...float64) plant { return one(gcc, spec, what, x...) }

// named plants numbers of each program under a name; %s is the column.
func named(name string, of func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		for i, p := range figure.Programs {
			m.Set(p.Name+"/"+strings.ReplaceAll(name, "%s", c), of(i)...)
		}
	}
}

// exactly plants numbers under a name.
func exactly(name string, x ...float64) plant {
	return func(m *figure.Measured, _ string) { m.Set(name, x...) }
}

// reaching plants after how many events the random sampler has 5 % on typecheck, whose places count from 200K on.
func reaching(what string, x ...float64) plant {
	begin := make([]float64, len(x))
	for i := range begin {
		begin[i] = 200e3
	}
	return together(ofTypecheck(random, what, x...), ofTypecheck(random, "counted", begin...))
}

// onRandom plants mean errors of figure 4, whatever the estimator.
func onRandom(errors map[string]float64) plant {
	return func(m *figure.Measured, _ string) {
		for spec, x := range errors {
			m.Set("permutations/"+spec+":sum/mean", x)
			m.Set("permutations/"+spec+":ratio/mean", x)
		}
	}
}

// curves plants errors along the curves of all compressors of figure 7.
func curves(tags, best float64) plant {
	return together(ofTypecheck(tagged, "curve", tags), ofTypecheck(random, "curve", 2*best),
		ofTypecheck(periodic, "curve",
			2*best),
		ofTypecheck(stratified, "curve", best), ofTypecheck(half, "curve", 2*best))
}

func messages(a, b string, x, y float64) plant {
	return together(ofTypecheck(a, "messages", x), ofTypecheck(b, "messages", y))
}

func settle(r, h, tags float64) plant {
	return together(ofTypecheck(random, "settled", r), ofTypecheck(stratified, "settled", h),
		ofTypecheck(tagged, "settled",
			tags))
}

// ratesOf plants the factors of figure 8 of each role, and of the rest.
func ratesOf(roles map[string]float64, rest float64) plant {
	return named("%s/rate", func(i int) []float64 {
		if x, ok := roles[figure.Programs[i].Role]; ok {
			return []float64{x}
		}
		return []float64{rest}
	})
}

// second plants what a second level saves with each compressor, of each program.
func second(of func(i int) []float64) plant {
	list := []plant{}
	for _, x := range secondLevels {
		list = append(list, all(x, "messages", of), all(x+"+A16", "messages", figuretest.Always(100)))
	}
	return together(list...)
}

func pronounced(x float64) plant {
	return second(func(i int) []float64 {
		switch figure.Programs[i].Role {
		case "m88ksim", "db", "jess":
			return []float64{x}
		}
		return []float64{120}
	})
}

func lossless(with float64) plant {
	list := []plant{}
	for _, x := range secondLevels {
		list = append(list, all(x, "error", figuretest.Always(2)), all(x+"+A16", "error", figuretest.Always(with)))
	}
	return together(list...)
}

func ofBranches(what string, of func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		for i, p := range figure.Programs {
			m.Set(p.Name+"/branches/"+in(stratified, c == "ours")+"/"+what, of(i)...)
		}
	}
}

func withOthers(edges, calls float64) plant {
	return together(ofBranches("edges", figuretest.Always(edges)), ofBranches("edges-alone", figuretest.Always(1)),
		ofBranches("calls",
			figuretest.Always(calls)),
		ofBranches("calls-alone", figuretest.Always(1)))
}

// hashErrors plants the errors with the hash of the column, and with the two others.
func hashErrors(own, a, b float64) plant {
	return func(m *figure.Measured, c string) {
		order := []string{"", "@mul", "@xor"}
		if c == "ours" {
			order = []string{"@mul", "", "@xor"}
		}
		for _, p := range figure.Programs {
			for i, x := range []float64{own, a, b} {
				m.Set(p.Name+"/"+stratified+order[i]+"/error", x)
			}
		}
	}
}

// tags plants the errors and messages with 2 bits, and the same for other bits with another error and messages for 8
// bits.
func tags(error, others, eight, messages float64) plant {
	list := []plant{}
	for _, bits := range tagBits {
		list = append(list, all(ofTag(bits), "error", figuretest.Always(others)),
			all(ofTag(bits), "messages", figuretest.Always(100)))
	}
	return together(append(list, all(tagged, "error", figuretest.Always(error)),
		all(ofTag(8), "error", figuretest.Always(eight)), all(ofTag(8),
			"messages",
			figuretest.Always(messages)))...)
}

// What agrees with each claim, and then what refutes it.
func TestClaimsCanBeRefuted(t *testing.T) {
	base := &figure.Measured{}
	for _, p := range figure.Programs {
		base.Add(p.Name+"/places", 100)
	}
	const n = "permutations/"
	lua := figure.InRole("li").Name
	figuretest.Planted(t, &Beside, base, map[string][]plant{
		"twice": {ofTypecheck(stratified, "slower", 1.7, 3), ofTypecheck(stratified, "slower", 1.5), ofTypecheck(stratified,
			"slower", 3, 3, 1)},
		"at-least-twice": {all(stratified, "slower", figuretest.Some(8, 2, 1)),
			all(stratified, "slower", figuretest.Some(7, 3, 1.9)),
			together(all(stratified, "slower", figuretest.Some(8, 2, 1)), exactly("lua/places", 49), exactly("regex/places", 49),
				exactly("flate/places", 49))},
		"3": {ofTypecheck(stratified, "error", 2.9), ofTypecheck(stratified, "error", 3)},
		"r-4": {exactly(n+"R10:sum/crossing", 12000), exactly(n+"R10:sum/crossing", 9000), exactly(n+"R10:sum/crossing",
			16000)},
		"class-r": {onRandom(map[string]float64{"H[R10]4": 1.2, "R10": 1}), onRandom(map[string]float64{"H[R10]4": 1.3,
			"R10": 1})},
		"class-p": {onRandom(map[string]float64{"CR10": 1.2, "P10": 1}), onRandom(map[string]float64{"CR10": 1.3, "P10": 1})},
		"class-hp": {onRandom(map[string]float64{"H[CR10]4": 1.2, "H[P10]4": 1}), onRandom(map[string]float64{"H[CR10]4": 0.7,
			"H[P10]4": 1})},
		"order": {onRandom(map[string]float64{"R10": 3, "P10": 2, "H[P10]4": 1}), onRandom(map[string]float64{"R10": 2,
			"P10": 3, "H[P10]4": 1}),
			onRandom(map[string]float64{"R10": 3, "P10": 1, "H[P10]4": 1})},
		"p-r": {together(ofTypecheck(periodic, "error", 1.2), ofTypecheck(random, "error", 1)),
			together(ofTypecheck(periodic, "error", 1.3), ofTypecheck(random, "error", 1)),
			together(ofTypecheck(periodic, "error", 0.7), ofTypecheck(random, "error", 1))},
		"h-first": {ofTypecheck(stratified, "first", 390e3), ofTypecheck(stratified, "first", 410e3)},
		"r-first": {reaching("first", 650e3, 1e6), reaching("first", 290e3), reaching("first", 200e3, 650e3)},
		"h-stays": {ofTypecheck(stratified, "stays", 600e3), ofTypecheck(stratified, "stays", 700e3)},
		"r-stays": {reaching("stays", 4e6), reaching("stays", 3e6), reaching("stays", 200e3, 4e6)},
		"23": {together(reaching("stays", 9e6), ofTypecheck(stratified, "stays", 4e5)),
			together(reaching("stays", 7e6), ofTypecheck(stratified, "stays", 4e5)),
			together(reaching("stays", 200e3), ofTypecheck(stratified, "stays", 1e3))},
		"tag-best":   {curves(1, 1.1), curves(1, 1), curves(2, 1)},
		"tag-little": {curves(0.81, 1), curves(0.79, 1)},
		"tag-3": {messages(tagged, stratified, 3.5, 1), messages(tagged, stratified, 2.3, 1), messages(tagged, stratified,
			4, 1)},
		"tag-twice": {together(all(tagged, "messages", figuretest.Some(8, 2, 1)),
			all(stratified, "messages", figuretest.Always(1))),
			together(all(tagged, "messages", figuretest.Some(7, 3, 1)), all(stratified, "messages", figuretest.Always(1)))},
		"lower": {ofTypecheck(stratified, "fewer-least", 1), ofTypecheck(stratified, "fewer-least", 0),
			ofTypecheck(stratified, "fewer-least", -9)},
		"vanishes": {messages(stratified, random, 0.9, 1), messages(stratified, random, 0.7, 1)},
		"half": {together(ofTypecheck(half, "error", 1.2), ofTypecheck(random, "error", 1)),
			together(ofTypecheck(half, "error", 1.3), ofTypecheck(random, "error", 1))},
		"settles": {settle(5, 4, 3), settle(4, 4, 3), settle(4, 3, 4)},
		"perl-db": {ratesOf(map[string]float64{"perl": 2.1, "db": 3}, 1), ratesOf(map[string]float64{"perl": 2, "db": 3},
			3), ratesOf(map[string]float64{"perl": 3, "db": 1.5}, 3)},
		"others": {ratesOf(map[string]float64{"li": 2.1, "jack": 2.1}, 2), ratesOf(map[string]float64{"li": 2.1,
			"perl": 4, "db": 4, "gcc": 4}, 2)},
		"specific": {ratesOf(map[string]float64{"li": 1.3}, 1), ratesOf(map[string]float64{"li": 1.2}, 1)},
		"best-random": {named("%s/equal/random", figuretest.Some(8, 1.1, 0.9)),
			named("%s/equal/random", figuretest.Some(7, 1.1, 0.9))},
		"best-tagged": {named("%s/equal/tagged", figuretest.Some(8, 1.1, 1)),
			named("%s/equal/tagged", figuretest.Some(7, 1.1, 1))},
		"larger": {together(all(ofSize(4096), "error", figuretest.Some(8, 1, 3)),
			all(ofSize(512), "error", figuretest.Always(2))),
			together(all(ofSize(4096), "error", figuretest.Some(7, 1, 2)), all(ofSize(512), "error", figuretest.Always(2)))},
		"li-early": {together(one(lua, ofSize(4096), "until/1048576", 2), one(lua, ofSize(512), "until/1048576", 1)),
			together(one(lua, ofSize(4096), "until/1048576", 1), one(lua, ofSize(512), "until/1048576", 1))},
		"a16-all": {second(figuretest.Some(8, 101, 100)), second(figuretest.Some(7, 101, 100)),
			second(figuretest.Always(99))},
		"1.15":     {second(figuretest.Some(8, 120, 100)), second(figuretest.Always(110)), second(figuretest.Always(260))},
		"lossless": {lossless(2), lossless(2.01), lossless(1.99)},
		"11-error": {ofBranches("error", figuretest.Always(2.9)), ofBranches("error", figuretest.Some(9, 1, 3))},
		"11-better": {together(all(stratified, "as-branches", figuretest.Some(8, 2, 1)),
			ofBranches("error", figuretest.Always(1))),
			together(all(stratified, "as-branches", figuretest.Some(7, 2, 1)), ofBranches("error", figuretest.Always(1)))},
		"11-negligible": {ofBranches("error", figuretest.Some(6, 0.5, 1)), ofBranches("error", figuretest.Some(5, 0.1, 0.6))},
		"pronounced":    {pronounced(160), pronounced(140), pronounced(110)},
		"together":      {withOthers(1.2, 1.2), withOthers(1.3, 1), withOthers(1, 1.3)},
		"hash":          {hashErrors(1, 1, 2), hashErrors(1, 0.9, 2), hashErrors(1, 2, 0.9)},
		"tag-2":         {tags(1, 1.1, 0.6, 400), tags(1, 0.9, 2, 100), tags(1, 1.1, 0.6, 200)},
		"filter": {named("%s/equal/filter", figuretest.Some(8, 0.9, 2)),
			named("%s/equal/filter", figuretest.Some(7, 0.9, 1))},
		"filter-faster": {named("%s/filter-slower", figuretest.Some(8, 1.1, 1)),
			named("%s/filter-slower", figuretest.Some(7, 2, 1))},
		"service": {all(stratified, "waits", figuretest.Some(8, 1, 2)),
			all(stratified, "waits", figuretest.Some(7, 0.5, 1.1))},
	}, [2]string{"rules", "ours"})
}
