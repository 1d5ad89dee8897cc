//go:build !peplinked

package rap

// This file writes trees as text, and reads them.

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// dumpVersion is the version of the text. Load accepts no other version.
const dumpVersion = 1

// Dump writes t as text that Load reads:
//
//	rap 1
//	eps 0.01 universe 2^64 b 4 nodes 38401 policy internal height log2 start 1024
//	schedule growing first 1024 q 2 next 2048
//	events 1500 slack 1 share 0.1 denied 0
//	# depth lo hi count inclusive% hot
//	0 0x0 0xffffffffffffffff 700 100 hot
//	1 0x40 0x7f 800 53.3 hot
//	end
//
// Each range has a line. The line of a range comes before the lines of the ranges below
// it, and those are in order from left to right. A range is hot if Ranges with the
// given share says so. Of the counters in Stats only Denied is written.
func (t *Tree) Dump(w io.Writer, share float64) error {
	b := bufio.NewWriter(w)
	o := t.o
	fmt.Fprintf(b, "rap %d\n", dumpVersion)
	fmt.Fprintf(b, "eps %s universe 2^%d b %d nodes %d policy %s height %s start %d\n", formatFloat(o.Eps), o.bits(), o.B,
		o.Nodes, o.Policy, o.Height, o.Start)
	fmt.Fprintf(b, "schedule %s first %d q %d next %d\n", o.Schedule.Kind, o.Schedule.First, o.Schedule.Q, t.next)
	fmt.Fprintf(b, "events %d slack %d share %s denied %d\n", t.n, t.slack, formatFloat(share), t.s.Denied)
	fmt.Fprintf(b, "# depth lo hi count inclusive%% hot\n")
	for _, r := range t.Ranges(share) {
		fmt.Fprintln(b, t.line(r))
	}
	fmt.Fprintf(b, "end\n")
	return b.Flush()
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// line returns the line of a range.
func (t *Tree) line(r Range) string {
	hot := "-"
	if r.Hot {
		hot = "hot"
	}
	return fmt.Sprintf("%d %#x %#x %d %.3g %s", r.Depth, r.Lo, r.Hi, r.Count,
		100*float64(r.Inclusive)/float64(max(t.n, 1)), hot)
}

// A DumpError says which line of a dump is wrong, and why.
type DumpError struct {
	Line int // from 1
	Want string
}

func (e *DumpError) Error() string { return fmt.Sprintf("rap dump, line %d: want %s", e.Line, e.Want) }

// maxLoad limits the memory that Load allocates, in bytes. Without the limit a dump of
// a few bytes could ask for any number of nodes.
const maxLoad = 1 << 28

// Load reads the output of Dump. The tree continues from the state of the dumped one.
// Errors in the text are of type *DumpError.
func Load(r io.Reader) (*Tree, error) {
	l := &loader{scan: bufio.NewScanner(r)}
	t, share := l.header()
	if l.err == nil {
		l.ranges(t, share)
	}
	if l.err == nil && l.scan.Scan() {
		l.line++
		l.want("the end: there is more after \"end\"")
	}
	if err := l.scan.Err(); err != nil && l.err == nil {
		return nil, fmt.Errorf("reading a rap dump: %w", err)
	}
	if l.err != nil {
		return nil, l.err
	}
	return t, nil
}

// A loader reads a dump line by line. After an error it reads nothing more.
type loader struct {
	scan *bufio.Scanner
	line int
	err  error
}

func (l *loader) want(format string, args ...any) {
	if l.err == nil {
		l.err = &DumpError{l.line, fmt.Sprintf(format, args...)}
	}
}

// next returns the fields of the next line; none at the end or after an error.
func (l *loader) next(what string) []string {
	l.line++
	if l.err != nil {
		return nil
	}
	if !l.scan.Scan() {
		l.want("%s, not the end of the text", what)
		return nil
	}
	return strings.Fields(l.scan.Text())
}

// A dumpField is a name in the header and the function that reads its value.
type dumpField struct {
	name string
	read func(value string) (ok bool)
}

// header reads the lines before the ranges.
func (l *loader) header() (t *Tree, share float64) {
	var o Options
	var next, events, slack, denied uint64
	version := ""
	l.fields(dumpField{"rap", func(v string) bool { version = v; return true }})
	if l.err == nil && version != strconv.Itoa(dumpVersion) {
		l.want("version %d, not %q: this dump is of another version of this package", dumpVersion, version)
	}
	l.fields(
		dumpField{"eps", floatField(&o.Eps)},
		dumpField{"universe", func(v string) bool { return universeField(&o.Universe, v) }},
		dumpField{"b", intField(&o.B)},
		dumpField{"nodes", intField(&o.Nodes)},
		dumpField{"policy", func(v string) bool { return nameField(&o.Policy, policyNames[:], v) }},
		dumpField{"height", func(v string) bool { return nameField(&o.Height, heightNames[:], v) }},
		dumpField{"start", uintField(&o.Start)},
	)
	l.fields(
		dumpField{"schedule", func(v string) bool { return nameField(&o.Schedule.Kind, scheduleNames[:], v) }},
		dumpField{"first", uintField(&o.Schedule.First)},
		dumpField{"q", uintField(&o.Schedule.Q)},
		dumpField{"next", uintField(&next)},
	)
	l.fields(
		dumpField{"events", uintField(&events)},
		dumpField{"slack", uintField(&slack)},
		dumpField{"share", floatField(&share)},
		dumpField{"denied", uintField(&denied)},
	)
	if l.err == nil && (next <= events || events > maxEvents || slack > maxEvents) {
		l.want("at most 2^63 events and slack, and fewer events than at the next merge (%d)", next)
	}
	if l.err == nil && (o.Nodes > maxNodes || o.Nodes*(32+4*min(o.B, maxB)) > maxLoad) {
		l.line = 2
		l.want("nodes that fit into %d MB, not %d", maxLoad>>20, o.Nodes)
	}
	if f := l.next("the line that names the columns"); l.err == nil &&
		strings.Join(f, " ") != "# depth lo hi count inclusive% hot" {
		l.want("# depth lo hi count inclusive%% hot")
	}
	if l.err != nil {
		return nil, 0
	}
	t, err := New(o)
	if err != nil {
		l.line = 2
		l.want("options that New takes: %v", err)
		return nil, 0
	}
	t.n, t.next, t.slack, t.s.Denied = events, next, slack, denied
	return t, share
}

// fields reads a line of names and values.
func (l *loader) fields(want ...dumpField) {
	f := l.next("a line that begins with " + strconv.Quote(want[0].name))
	for i, x := range want {
		switch {
		case l.err != nil:
			return
		case 2*i+1 >= len(f) || f[2*i] != x.name:
			l.want("%q and its value as the fields %d and %d", x.name, 2*i+1, 2*i+2)
		case !x.read(f[2*i+1]):
			l.want("a value of %q, not %q", x.name, f[2*i+1])
		case i == len(want)-1 && len(f) > 2*i+2:
			l.want("nothing after the value of %q", x.name)
		}
	}
}

func uintField(to *uint64) func(string) bool {
	return func(v string) (ok bool) {
		n, err := strconv.ParseUint(v, 10, 64)
		*to = n
		return err == nil
	}
}

func intField(to *int) func(string) bool {
	return func(v string) (ok bool) {
		n, err := strconv.Atoi(v)
		*to = n
		return err == nil && n > 0
	}
}

func floatField(to *float64) func(string) bool {
	return func(v string) (ok bool) {
		f, err := strconv.ParseFloat(v, 64)
		*to = f
		return err == nil && !math.IsNaN(f) && f >= 0
	}
}

// universeField reads 2^k.
func universeField(to *uint64, v string) (ok bool) {
	k, found := strings.CutPrefix(v, "2^")
	n, err := strconv.Atoi(k)
	if !found || err != nil || n < 1 || n > 64 {
		return false
	}
	*to = 1 << n // 0 for 2^64
	return true
}

// nameField reads one of several names.
func nameField[T ~uint8](to *T, names []string, v string) (ok bool) {
	for i, n := range names {
		if n == v {
			*to = T(i)
			return true
		}
	}
	return false
}

// ranges reads the ranges. Then it compares the lines of the dump with the lines that
// Dump would write. So it accepts only dumps with the right depths, percentages and hot
// ranges.
func (l *loader) ranges(t *Tree, share float64) {
	var lines []string
	left := t.n
	for {
		f := l.next("a range, or \"end\"")
		if l.err != nil {
			return
		}
		if len(f) == 1 && f[0] == "end" {
			break
		}
		left = l.add(t, f, left, len(lines) == 0)
		lines = append(lines, strings.Join(f, " "))
	}
	switch {
	case l.err != nil:
	case len(lines) == 0:
		l.want("a range for all points before \"end\"")
	case left != 0:
		l.want("%d more events in ranges: the fourth line says %d", left, t.n)
	default:
		l.compare(t, share, lines)
	}
	t.setStops()
}

// add adds a range. left is the number of events that the ranges before it have left
// over.
func (l *loader) add(t *Tree, f []string, left uint64, first bool) (nowLeft uint64) {
	if len(f) != 6 {
		l.want("6 columns: depth lo hi count inclusive%% hot; not %d", len(f))
		return
	}
	lo, err1 := strconv.ParseUint(f[1], 0, 64)
	hi, err2 := strconv.ParseUint(f[2], 0, 64)
	count, err3 := strconv.ParseUint(f[3], 10, 64)
	shift := Range{Lo: lo, Hi: hi}.Width()
	switch root := &t.nodes[t.roots[0]]; {
	case err1 != nil || err2 != nil || err3 != nil:
		l.want("numbers in the columns lo, hi and count")
	case hi < lo || hi-lo != 1<<shift-1 || lo&(hi-lo) != 0 || shift > t.o.bits() || t.outside(lo) ||
		!t.onGrid(uint8(shift)):
		l.want("a range that splits by %d can lead to, not %s to %s", t.o.B, f[1], f[2])
	case count > left:
		l.want("at most %d events, not %d: the fourth line says %d in all", left, count, t.n)
	case first != (uint8(shift) == root.shift):
		l.want("the range for all points as the first range, and once")
	case first:
		root.count = count
	case !t.place(t.roots[0], &node{lo: lo, shift: uint8(shift), count: count}):
		l.want("a larger value of \"nodes\" in line 2: this range has no space")
	}
	return left - count
}

// onGrid reports whether nodes of the tree can have a width.
func (t *Tree) onGrid(shift uint8) bool {
	s := uint8(t.o.bits())
	for s > shift {
		s = t.below(s)
	}
	return s == shift
}

// compare compares the lines of ranges with those of t.
func (l *loader) compare(t *Tree, share float64, lines []string) {
	const before = 5 // lines of the header
	list := t.Ranges(share)
	for i, text := range lines {
		if want := t.line(list[min(i, len(list)-1)]); text != want {
			l.line = before + 1 + i
			l.want("%q, which is what this range would be written as here, not %q", want, text)
			return
		}
	}
}

// setStops computes the stops of all nodes.
func (t *Tree) setStops() {
	for i := uint32(1); i < t.used; i++ {
		t.setStop(i)
	}
}
