package database_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

func labels(value string) capture.Labels {
	return capture.MakeLabels([]capture.Label{{Key: "handler", Value: value}})
}

// labelled returns runs of goroutines with n sets of labels, one of which is empty.
func labelled(seed uint64, n int) []capture.Run {
	runs := someRuns(seed, 3000, 1, 1000)
	for i := range runs {
		if k := i * i % n; k > 0 {
			runs[i].Labels = labels(fmt.Sprint(k))
		}
	}
	return runs
}

// Each group has what the runs with its labels have, and all groups together have everything: also
// when the database was written, read and merged.
func TestGroups(t *testing.T) {
	runs := labelled(7, 5)
	db := collect(t, runs, parity{})
	read := roundTrip(t, db)
	if err := read.Merge(db); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		db   *database.Database
		runs []capture.Run
	}{"collected": {db, runs}, "written and read": {roundTrip(t, db), runs}, "merged": {read, slices.Concat(runs, runs)}} {
		same(t, name, c.db, c.runs)
		seen := map[capture.Labels]bool{}
		for _, g := range c.db.Binaries()[0].Groups() {
			seen[g.Labels] = true
			part := slices.DeleteFunc(slices.Clone(c.runs), func(r capture.Run) bool { return r.Labels != g.Labels })
			counts, interrupts := expected(part)
			n := uint64(0)
			for _, l := range g.Locations() {
				n += l.Interrupts
				if want := interrupts[key{"ab00", l.Insn.PC, ""}]; l.Interrupts != want {
					t.Errorf("%s: %s: %d interrupts at %#x, want %d", name, g.Labels, l.Interrupts, l.Insn.PC, want)
				}
				got := map[uint64]uint64{}
				if list := l.Lists["parity"]; list != nil {
					for _, e := range list.Top() {
						got[e.Value.Word] = e.Count
					}
				}
				if d := cmp.Diff(counts[key{"ab00", l.Insn.PC, "parity"}], got); d != "" && len(got) > 0 {
					t.Errorf("%s: %s at %#x (-want +got):\n%s", name, g.Labels, l.Insn.PC, d)
				}
			}
			if n != g.Interrupts || n == 0 {
				t.Errorf("%s: %s: %d interrupts, the locations have %d", name, g.Labels, g.Interrupts, n)
			}
		}
		// squares modulo 5
		if want := map[capture.Labels]bool{"": true, labels("1"): true, labels("4"): true}; !cmp.Equal(seen, want) {
			t.Errorf("%s: groups %v, want %v", name, seen, want)
		}
	}
}

// A program that labels each request has a group for the first ones and one for all others, and
// loses no sample. Its file can be read.
func TestManyGroups(t *testing.T) {
	runs := someRuns(8, 3000, 1, 2)
	for i := range runs {
		runs[i].Labels = labels(fmt.Sprint(i))
	}
	db := collect(t, runs, parity{})
	if err := db.Merge(collect(t, labelled(9, 11), parity{})); err != nil {
		t.Fatal(err)
	}
	groups := roundTrip(t, db).Binaries()[0].Groups()
	if len(groups) != database.MaxGroups || groups[0].Labels != database.OtherLabels {
		t.Errorf("%d groups, the largest is %s, want %d and %s", len(groups), groups[0].Labels, database.MaxGroups,
			database.OtherLabels)
	}
	same(t, "all groups", db, append(runs, labelled(9, 11)...))
	if !bytes.Equal(encode(t, db), encode(t, roundTrip(t, db))) {
		t.Error("the file changes when it is read and written again")
	}
}
