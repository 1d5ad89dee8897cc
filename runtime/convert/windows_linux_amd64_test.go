package convert

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

func TestNumbering(t *testing.T) {
	n := newNumbering([]*wire.Lazy{{Path: "a", Paths: 3}, {Path: "b"}, {Path: "c", Paths: 2}})
	for path, want := range map[uint64]struct {
		pkg    string
		number uint64
	}{0: {"a", 0}, 2: {"a", 2}, 3: {"c", 0}, 4: {"c", 1}, 5: {"", 5}} {
		if pkg, number := n.of(path); pkg != want.pkg || number != want.number {
			t.Errorf("path %d is %d of %q, want %d of %q", path, number, pkg, want.number, want.pkg)
		}
	}
}

// Windows keep what they counted of entries that are samples, and damaged ones are counted.
func TestWindowsOfALog(t *testing.T) {
	c := countsOf(pepfiletest.New())
	c.LogWindow(&pepfile.Window{Time: 2e7, Steps: 6000, Waits: 400},
		[]pepfile.WindowRecord{{Entry: 3, Count: 7}, {Entry: 4, Count: 1}, {Entry: 9999, Count: 1}}, nil)
	c.LogWindow(&pepfile.Window{Time: 1e7, Steps: 6000, Waits: 400}, nil, nil)
	c.Window(1).Steps++
	windows, damaged := c.logged()
	list, _ := c.windows(windows, []int32{0, 0, 6, 0, 0})
	if len(list) != 1 || damaged != 1 {
		t.Fatalf("%d windows, %d damaged, want 1 and 1", len(list), damaged)
	}
	if b := list[0]; len(b.Samples) != 1 || b.Samples[0] != 5 || b.Counts[0] != 7 || b.Stands != 2e4 || !(b.Weight > 0) {
		t.Errorf("window %+v", b)
	}
}

// Windows that end before waits count wait as the others with their paths do: a loop of 4 instructions a round that
// waits 100 cycles for its load, and has half of its time in windows which a system call ends, beside a loop that waits
// for nothing. So it waits for nearly all of its 4 ms, and the other one for none.
func TestWaitsOfWindowsThatEndEarly(t *testing.T) {
	c := countsOf(pepfiletest.New())
	c.Windows.Near, c.Windows.Memory = 50, 400
	c.Entry(0).Path, c.Entry(1).Path = 7, 8
	for i := range uint32(40) {
		slow, ends := i%2, i%4/2
		w := pepfile.Window{Time: 1e5 * uint64(1+slow), Steps: 6000 - 5500*ends, Loads: 1}
		if ends == 0 {
			w.Waits = slow * 25 * (6000 - pepfile.Settled)
			w.Memory = w.Waits
		}
		load := pepfile.WindowRecord{Entry: 0x20, Count: 52}
		if slow > 0 {
			load = pepfile.WindowRecord{Entry: 0x10, Count: 400 - 348*ends}
		}
		c.LogWindow(&w, []pepfile.WindowRecord{load, {Entry: 1 + slow, Count: 9}}, nil)
	}
	windows, _ := c.logged()
	slow, fast := 0., 0.
	for i, w := range c.loads(windows, symbol.NewTable(c.Here.Text)).Windows {
		if windows[i].weighed.Paths[0].Path == 8 {
			slow += w.Waiting
		} else {
			fast += w.Waiting
		}
	}
	if slow < .95*4e6 || slow > 4e6 || fast > 1e-2*2e6 {
		t.Errorf("the loop waits for %.0f ns, want nearly 4e6, and the other one for %.0f, want none", slow, fast)
	}
}

// Ticks in system calls have no function.
func TestTicksInCalls(t *testing.T) {
	c := countsOf(pepfiletest.New())
	c.AddTick(&pepfile.Key{Path: pepfile.CallPath}, 3)
	at := report.NewOutside(nil)
	c.outside(symbol.NewTable(c.Here.Text), at)
	var f facts.List
	at.Tell(&f)
	if got, want := f.Encode(), "ticks_placed=3 ticks_outside=3 ticks_outside_in/system%20calls=3"; !strings.Contains(got,
		want) {
		t.Errorf("no %q in %s", want, got)
	}
}

// The main module is the one that package runtime/debug finds. Of a program of files it is the one that they depend on
// without a version.
func TestMainModule(t *testing.T) {
	mark := strings.Repeat("\xff", 16)
	others := []*debug.Module{{Path: "example.com/another", Version: "v1",
		Replace: &debug.Module{Path: "./another", Version: "(devel)"}}, {Path: "example.com/other", Version: "v1"}}
	for _, x := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Path: "example.com/app/cmd/x",
			Main: debug.Module{Path: "example.com/app", Version: "v1.2.3", Sum: "h1:="}, Deps: others}, "example.com/app"},
		{debug.BuildInfo{Path: "command-line-arguments", Settings: []debug.BuildSetting{{Key: "-buildmode", Value: "exe"}}},
			"command-line-arguments"},
		{debug.BuildInfo{Path: "command-line-arguments", Deps: others}, "command-line-arguments"},
		{debug.BuildInfo{Path: "command-line-arguments",
			Deps: append(others, &debug.Module{Path: "example.com/zapp", Version: "(devel)"})}, "example.com/zapp"},
		{debug.BuildInfo{}, ""},
	} {
		if got := mainModule(mark + x.info.String() + mark); got != x.want {
			t.Errorf("the main module of %q is %q, want %q", x.info.String(), got, x.want)
		}
	}
	if got := mainModule("short"); got != "" {
		t.Errorf("the main module of a short text is %q", got)
	}
}
