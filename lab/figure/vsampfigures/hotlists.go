package vsampfigures

// This file compares hotlists with the table of Calder, Feller and Eustace, by how much memory each needs for
// equally good results (section 2.2).

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/hotlist"
	"github.com/pepgo/pep/lab/figure"
)

// ofLoads are the taps whose values are kept: each load of a program has a list and a table of its own, and sees all of
// its values.
const ofLoads = "loads"

// The numbers of values that lists and tables have room for. An entry of both is a value and a count.
var (
	listRooms  = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}
	tableRooms = []int{4, 8, 16, 32, 64}
)

// The results that are compared: which values they have, and which share of all values the first one has.
const (
	covered = "covered" // percent of the loads whose value is in the list at the end
	off     = "off"     // points by which the share of the most frequent value is wrong, on average of the loads
)

// A kept is a value that a list or a table has, and how often it says that it occurred.
type kept struct {
	value uint64
	times float64
}

// A quality adds up how good results are, over the loads of a program.
type quality struct {
	events, covered uint64
	off             float64 // events times the error of a share
}

// add adds what is kept of the values of one load, the most frequent first, beside how often each value occurred.
func (q *quality) add(list []kept, exact map[uint64]uint64) {
	events, most := uint64(0), uint64(0)
	for _, n := range exact {
		events, most = events+n, max(most, n)
	}
	first := 0.
	if len(list) > 0 {
		first = list[0].times
	}
	for _, k := range list {
		q.covered += exact[k.value]
	}
	q.events += events
	q.off += math.Abs(first - float64(most))
}

// hotlists measures lists and tables of all sizes on the loads of each program: a number for each size.
func hotlists(env *figure.Env, m *figure.Measured) error {
	for _, p := range figure.Programs {
		source, err := env.Source(p.Name, ofLoads)
		if err != nil {
			return err
		}
		sites := map[uint64][]uint64{}
		err = figure.FirstTuples(source, env.Loads, func(_ uint32, tuples []tuple.Tuple) {
			for _, t := range tuples {
				sites[t.PC] = append(sites[t.PC], t.W)
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		lists, ours := make([]quality, len(listRooms)), make([]quality, len(listRooms))
		tables := make([]quality, len(tableRooms))
		for _, site := range slices.Sorted(maps.Keys(sites)) {
			values, exact := sites[site], map[uint64]uint64{}
			for _, v := range values {
				exact[v]++
			}
			for i, room := range listRooms {
				all, shown := ofList(values, room, site+env.Seed<<32)
				lists[i].add(all, exact)
				ours[i].add(shown, exact)
			}
			for i, room := range tableRooms {
				tables[i].add(ofTable(values, room), exact)
			}
		}
		for name, list := range map[string][]quality{"lists": lists, in("lists", true): ours, "tables": tables} {
			for _, q := range list {
				m.Add("hotlists/"+p.Name+"/"+name+"/"+covered, 100*float64(q.covered)/float64(q.events))
				m.Add("hotlists/"+p.Name+"/"+name+"/"+off, 100*q.off/float64(q.events))
			}
		}
	}
	return nil
}

// confidence is that of the bounds in listings of peptrace values.
const confidence = 0.95

// ofList returns what a hotlist has of the values: all of it, and what is no junk, which our listings show (decision
// 23).
func ofList(values []uint64, room int, seed uint64) (all, shown []kept) {
	l := hotlist.NewOf[uint64](room, seed)
	for _, v := range values {
		l.Add(v)
	}
	junk := map[uint64]bool{} // by counts, of which there are few
	for _, e := range l.Top() {
		is, known := junk[e.Count]
		if !known {
			is = hotlist.Junk(l.Bounds(e.Count, confidence))
			junk[e.Count] = is
		}
		k := kept{e.Value, l.Estimate(e.Count)}
		if all = append(all, k); !is {
			shown = append(shown, k)
		}
	}
	return all, shown
}

// ofTable returns what a table has of the values.
func ofTable(values []uint64, room int) (list []kept) {
	t := hotlist.NewTable[uint64](room)
	for _, v := range values {
		t.Add(v)
	}
	for _, e := range t.Top() {
		list = append(list, kept{e.Value, float64(e.Count)})
	}
	return list
}

// asGood reports whether a list's result is as good as a table's: worse by no more than is negligible.
func asGood(what string, list, table float64) bool {
	if what == covered {
		return list >= table-figure.NoErrorShare
	}
	return list <= table+figure.NoErrorShare
}

// needed returns how many entries a hotlist needs from which on its result is as good as that of the table with number
// i, divided by the entries of the table; +Inf if none of those measured suffices.
func needed(m *figure.Measured, program, what string, i int, extended bool) float64 {
	lists, table := m.Of("hotlists", program, in("lists", extended), what), m.Of("hotlists", program, "tables", what)[i]
	least := math.Inf(1)
	for k, room := range slices.Backward(listRooms) {
		if !asGood(what, lists[k], table) {
			break
		}
		least = float64(room) / float64(tableRooms[i])
	}
	return least
}

// memory returns what hotlists need for a result of each program, beside all tables.
func memory(what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) (t figure.Tally) {
		for i := range tableRooms {
			t = append(t, beside(m, what, i, extended)...)
		}
		return t
	}
}

// beside is memory beside the table with number i.
func beside(m *figure.Measured, what string, i int, extended bool) (t figure.Tally) {
	for _, p := range m.Below("hotlists") {
		t = append(t, needed(m, p, what, i, extended))
	}
	return t
}

// ofSize returns a result of each program, of the lists or tables with number i.
func ofSize(m *figure.Measured, name, what string, i int) (t figure.Tally) {
	for _, p := range m.Below("hotlists") {
		t = append(t, m.Of("hotlists", p, name, what)[i])
	}
	return t
}

func whyHotlists(m *figure.Measured) string {
	i, k := slices.Index(listRooms, hotlist.Slots), slices.Index(tableRooms, hotlist.Slots)
	of := func(name, what string, i int) string {
		unit := figure.Percent
		if what == off {
			unit = figure.Points
		}
		return ofSize(m, name, what, i).Text(unit)
	}
	return fmt.Sprintf("Lists and tables see all values of each load of %d programs. A table counts each value that it has. "+
		"A list counts some of them by chance, and when it is full it lowers its rate by 1/%d, whatever its size. With "+
		"%d entries lists have the values of %s of the loads at the end, and tables those of %s; the share of the most frequent value "+
		"is wrong by %s in lists, by %s without values that are junk, and by %s in tables.", len(m.Below("hotlists")), hotlist.Slots, hotlist.Slots, of("lists", covered, i),
		of("tables", covered, k), of("lists", off, i), of(in("lists", true), off, i), of("tables", off, k))
}

// hotlistTable has the memory that hotlists need by the size of tables.
func hotlistTable(m *figure.Measured) figure.Table {
	t := figure.Table{Title: "Hotlists beside Calder's table: medians of programs, with the least and the greatest",
		Columns: []string{"entries of the table", "the loads whose values it has", "entries of a list for that, to these",
			"error of the first share", "entries of a list for that, to these", "without junk"}}
	for i, room := range tableRooms {
		t.Rows = append(t.Rows, []figure.Value{figure.Count(room, "entries"),
			figure.Text(ofSize(m, "tables", covered, i).Text(figure.Percent)),
			figure.Text(beside(m, covered, i, false).Text(figure.Times)),
			figure.Text(ofSize(m, "tables", off, i).Text(figure.Points)),
			figure.Text(beside(m, off, i, false).Text(figure.Times)),
			figure.Text(beside(m, off, i, true).Text(figure.Times))})
	}
	return t
}
