package vsampfigures

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

// A program has two loads, in turns: one has the values 0, 0, 1, 2, 0, 0, 1, 2, …, and each value of the other occurs
// once. What lists and tables make of that is known: the first load is exact with room for three values or more, and of
// the other one a table has some of 4,000 values, whose counts are right.
func TestResultsOfKnownLoads(t *testing.T) {
	var list []tuple.Tuple
	for i := range uint64(4000) {
		list = append(list, tuple.New(tuple.Load, 1, []uint64{0, 0, 1, 2}[i%4]), tuple.New(tuple.Load, 2, 100+i))
	}
	env := &figure.Env{Loads: 100_000, Seed: 1, Source: func(program, taps string) (replay.Source, error) {
		if taps != "loads" {
			return nil, figure.ErrNoTrace
		}
		return figuretest.Tuples(list), nil
	}}
	m := &figure.Measured{}
	if err := hotlists(env, m); err != nil {
		t.Fatal(err)
	}
	if n := len(m.Below("hotlists")); n != len(figure.Programs) {
		t.Errorf("%d programs, want %d", n, len(figure.Programs))
	}
	of := func(name, what string) []float64 { return m.Of("hotlists", figure.Programs[0].Name, name, what) }
	near := func(what string, room int, got, least, most float64) {
		if !(got >= least-1e-3 && got <= most+1e-3) {
			t.Errorf("%s with room for %d: %v, want %v to %v", what, room, got, least, most)
		}
	}
	for i, room := range listRooms {
		if room < 3 {
			continue
		}
		n := float64(room)
		near("values of lists", room, of("lists", covered)[i], 50, 50+100*n/8000)
		// Without junk nothing is said of the second load, whose first value has one of 4,000.
		near("values of lists without junk", room, of("ours-lists", covered)[i], 50, 50)
		near("shares of lists without junk", room, of("ours-lists", off)[i], 0.0125, 0.0125)
		// With junk the second load has a value that one of room loads has had, or even more by chance.
		near("shares of lists", room, of("lists", off)[i], 50/n/4, 100/n*4)
	}
	for i, room := range tableRooms {
		near("values of tables", room, of("tables", covered)[i], 50+50./4000, 50+50*float64(room)/4000)
		near("shares of tables", room, of("tables", off)[i], 0, 0)
	}
	env.Source = func(string, string) (replay.Source, error) { return nil, figure.ErrNoTrace }
	if err := hotlists(env, &figure.Measured{}); !errors.Is(err, figure.ErrNoTrace) {
		t.Errorf("without recordings: %v", err)
	}
}

// A list must be as good from there on, and as good is half a point worse at most.
func TestNeeded(t *testing.T) {
	plant := func(what string, table float64, lists ...float64) *figure.Measured {
		m := &figure.Measured{}
		for range tableRooms {
			m.Add("hotlists/p/tables/"+what, table)
		}
		for i := range listRooms {
			m.Add("hotlists/p/lists/"+what, lists[min(i, len(lists)-1)])
		}
		return m
	}
	for _, c := range []struct {
		what  string
		table float64
		lists []float64
		want  float64 // beside a table with 4 entries
	}{
		{covered, 50, []float64{40, 45, 49.6, 50}, 3. / 4},
		{covered, 50, []float64{40, 50, 49.4, 50}, 1},
		{covered, 50, []float64{60}, 1. / 4},
		{covered, 50, []float64{49}, math.Inf(1)},
		{off, 5, []float64{9, 8, 7, 6, 5.4}, 6. / 4},
		{off, 5, []float64{9, 5, 5.6, 1}, 1},
		{off, 5, []float64{6}, math.Inf(1)},
	} {
		m := plant(c.what, c.table, c.lists...)
		if got := needed(m, "p", c.what, slices.Index(tableRooms, 4), false); got != c.want {
			t.Errorf("%s %v beside lists with %v: %v, want %v", c.what, c.table, c.lists, got, c.want)
		}
		if all := memory(c.what)(m, false); len(all) != len(tableRooms) {
			t.Errorf("%d numbers, want one for each table", len(all))
		}
	}
}
