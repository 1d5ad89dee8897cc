package convert

// This file reads the log of windows.

import (
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/weigh"
)

// A logged is a window in the log.
type logged struct {
	pepfile.Window
	records []pepfile.WindowRecord
	notes   []pepfile.NoteRecord
	weighed weigh.Window
}

// logged returns the windows in the log, and how many of these are damaged. It reads the log once, since the program
// may still take windows.
func (c Counts) logged() (list []logged, damaged int) {
	var weighed []weigh.Window
	damaged = c.LoggedWindows(func(w *pepfile.Window, records []pepfile.WindowRecord, notes []pepfile.NoteRecord) {
		list = append(list, logged{Window: *w, records: append([]pepfile.WindowRecord(nil), records...),
			notes: append([]pepfile.NoteRecord(nil), notes...)})
		x := weigh.Window{Time: float64(w.Stands), Steps: float64(w.Steps)}
		if w.Steps > pepfile.Settled {
			x.Waits, x.Memory, x.Watch = float64(w.Waits), float64(w.Memory), float64(w.Steps-pepfile.Settled)
		}
		ends := 0.
		for _, r := range records[w.Loads:] {
			if i := r.Entry - 1; i < c.Slots && !c.Entry(i).OfTicks() && r.Count > 0 {
				x.Paths = append(x.Paths, weigh.Ended{Path: c.Entry(i).Path, Part: float64(r.Count)})
				ends += float64(r.Count)
			}
		}
		for i := range x.Paths {
			x.Paths[i].Part /= ends
		}
		weighed = append(weighed, x)
	})
	weigh.Level(weighed)
	for i := range list {
		list[i].weighed = weighed[i]
	}
	return list, damaged
}

// windows returns windows as package report has them, and how many would be as good as all if they stood for equal
// times. The slice samples has for each entry the index of its sample + 1, or 0.
func (c Counts) windows(windows []logged, samples []int32) (list []report.Cluster, equal float64) {
	all := weigh.Total{Squares: float64(c.Windows.Squares)}
	for i := range windows {
		w := &windows[i]
		b := report.Cluster{Stands: w.weighed.Time / 1e3, Weight: w.weighed.Weight()}
		for _, r := range w.records[w.Loads:] {
			if i := r.Entry - 1; i < uint32(len(samples)) && samples[i] > 0 {
				b.Samples = append(b.Samples, samples[i]-1)
				b.Counts = append(b.Counts, r.Count)
			}
		}
		list = append(list, b)
		all.Size += b.Stands
	}
	return list, all.Equal()
}

// tellWindows adds the numbers of windows, of ticks without one, and of functions whose paths the code does not tell.
func (c Counts) tellWindows(f *facts.List) {
	w, all := &c.Windows, uint64(0)
	for i, n := range w.Ended {
		all += n
		f.SetName(facts.WindowsEnded, interp.Stop(i).String(), n)
	}
	f.Set(facts.Windows, all)
	f.Set(facts.BudgetTime, c.Allowed)
	f.Set(facts.BudgetEnd, c.BudgetNow)
	f.Set(facts.WindowSteps, w.Steps)
	f.Set(facts.WindowsThrown, w.Thrown)
	f.Set(facts.WindowsChanged, w.Changed)
	f.Set(facts.TicksInCalls, w.Calls)
	f.Set(facts.TicksInC, w.Other)
	f.Set(facts.TicksBusy, w.Busy)
	f.Set(facts.TicksUncaught, w.Uncaught)
	if t, err := actiontable.Open(sitetables.Actions()); err == nil {
		f.Set(facts.UntoldFuncs, uint64(t.Told.Untold))
	}
}

// A numbering tells which package a path of the program is of. Its numbers are those of the packages, one behind the
// other.
type numbering struct {
	pkgs []*wire.Lazy
	ends []uint64 // the number behind the paths of each package
}

func newNumbering(pkgs []*wire.Lazy) *numbering {
	n := &numbering{pkgs: pkgs}
	end := uint64(0)
	for _, p := range pkgs {
		end += p.Paths
		n.ends = append(n.ends, end)
	}
	return n
}

// of returns the package of a path, and the number of the path in it. The package is empty if there is none.
func (n *numbering) of(path uint64) (pkg string, number uint64) {
	lo, hi := 0, len(n.ends)
	for lo < hi {
		m := (lo + hi) / 2
		if n.ends[m] <= path {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == len(n.ends) {
		return "", path
	}
	return n.pkgs[lo].Path, path - (n.ends[lo] - n.pkgs[lo].Paths)
}

// mainModule returns the path of the main module, or that of the main package if the program was built outside of
// modules. The text is what runtime/debug.ParseBuildInfo reads, with a mark of 16 bytes at both ends:
// "path\ta/cmd\nmod\ta\t(devel)\t\n". If go build was given files, the main module is among the modules that these
// depend on: "path\tcommand-line-arguments\ndep\ta\t(devel)\t\n".
func mainModule(info string) (module string) {
	const mark = 16
	if len(info) < 2*mark {
		return ""
	}
	for info = info[mark : len(info)-mark]; info != ""; {
		var line, key, value string
		line, info = cut(info, '\n')
		key, line = cut(line, '\t')
		value, line = cut(line, '\t')
		version, _ := cut(line, '\t')
		switch {
		case key == "path":
			module = value
		case key == "mod" || key == "dep" && version == "(devel)":
			return value
		}
	}
	return module
}

// cut returns what is before a byte and behind it.
func cut(s string, at byte) (before, after string) {
	for i := range len(s) {
		if s[i] == at {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
