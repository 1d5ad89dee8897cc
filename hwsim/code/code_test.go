package code_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// parse makes an engine whose file has the given text.
func parse(text, description string) (hwsim.Engine, error) {
	read := func(string) ([]byte, error) { return []byte(text), nil }
	s, err := append(engines.All[:len(engines.All):len(engines.All)], enginetest.Cells).Parse(description, read)
	if err != nil {
		return nil, err
	}
	return s.New(0), nil
}

// layout has ten sites, 16 bytes apart, in no order; site 3 is also inlined earlier.
func layout() string {
	text := "pep layout 1 build 00\n"
	for i := range 10 {
		site := uint64(i * 7 % 10)
		text += fmt.Sprintf("%#x %#x # load\n", 0x401000+16*i, tuple.New(tuple.Load, 100+site, 0).PC)
	}
	return text + fmt.Sprintf("%#x %#x\n", 0x400000, tuple.New(tuple.Load, 103, 0).PC)
}

// Events become addresses, events with counts too, and those of unknown sites are
// dropped and counted.
func TestEventsBecomeAddresses(t *testing.T) {
	e, err := parse(layout(), "CP3:code(x)")
	if err != nil {
		t.Fatal(err)
	}
	var in []tuple.Tuple
	for range 3 {
		for _, site := range []uint64{100, 107, 103, 200} {
			in = append(in, tuple.New(tuple.Load, site, 5))
		}
	}
	got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
	counts := map[uint64]uint64{}
	for _, m := range got {
		if m.Tuple.Tag() != tuple.Load || m.Tuple.Pool() != "code" {
			t.Errorf("%+v", m)
		}
		counts[m.Tuple.W] += m.Count
	}
	if d := cmp.Diff(map[uint64]uint64{0x401000: 3, 0x401010: 3, 0x400000: 3}, counts); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDropped(t *testing.T) {
	e, err := parse(layout(), "code(x)")
	if err != nil {
		t.Fatal(err)
	}
	// A sample is one event of code: its further words are dropped.
	enginetest.Push(e, []tuple.Tuple{tuple.New(tuple.Store, 100, 1), tuple.New(tuple.Load, 100, 1),
		tuple.New(tuple.More, 100, 1), tuple.New(tuple.Load, 110, 1)})
	if b := e.Balance(); b != (hwsim.Balance{Dropped: 3}) {
		t.Errorf("%+v, want 3 dropped", b)
	}
}

// The ranges of an engine behind code are ranges of code.
func TestRangesOfCode(t *testing.T) {
	e, err := parse(layout(), "code(x):cells(bits=5)")
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Push(e, []tuple.Tuple{tuple.New(tuple.Load, 100, 1), tuple.New(tuple.Load, 107, 9),
		tuple.New(tuple.Load, 104, 9)})
	want := []hwsim.Message{{Tuple: tuple.New(tuple.Load, tuple.PoolCode, 0x401000), Count: 2, Free: 5},
		{Tuple: tuple.New(tuple.Load, tuple.PoolCode, 0x401020), Count: 1, Free: 5}}
	if d := cmp.Diff(want, enginetest.Flush(e)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// With to=site all words of a sample stay, and have the address as their site.
func TestAddressesInThePlaceOfSites(t *testing.T) {
	e, err := parse(layout(), "code(x,to=site)")
	if err != nil {
		t.Fatal(err)
	}
	in := []tuple.Tuple{
		tuple.New(tuple.Load, 100, 1), tuple.New(tuple.More, 100, 2), tuple.New(tuple.Third, 100, 3),
		tuple.New(tuple.Load, 110, 4), tuple.New(tuple.More, 110, 5), // unknown
		tuple.New(tuple.Load, 107, 6), tuple.New(tuple.More, 100, 7), // of another site
	}
	var got []tuple.Tuple
	for _, part := range [][]tuple.Tuple{in[:1], in[1:]} { // samples go on in the next call
		for _, m := range enginetest.Push(e, part) {
			got = append(got, m.Tuple)
		}
	}
	want := []tuple.Tuple{tuple.New(tuple.Load, 0x401000, 1), tuple.New(tuple.More, 0x401000, 2),
		tuple.New(tuple.Third, 0x401000, 3), tuple.New(tuple.Load, 0x401010, 6)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if b := e.Balance(); b != (hwsim.Balance{Dropped: 3}) {
		t.Errorf("%+v, want 3 dropped", b)
	}
	if _, err := parse(layout(), "code(x,to=line)"); err == nil ||
		!strings.HasSuffix(err.Error(), "column 11: want word or site") {
		t.Errorf("to=line: %v", err)
	}
}

// Points of code and data: RAP-28 with the address of a load, and that of its code.
func TestRAP28_CodeAndData(t *testing.T) {
	e, err := parse(layout(), "code(x,to=site):morton(site=0..31,second=0..31):rap(10%,b=4,over=words)")
	if err != nil {
		t.Fatal(err)
	}
	var in []tuple.Tuple
	for i := range uint64(50_000) {
		site := 100 + i%10
		addr := i * 0x9E3779B97F4A7C15 >> 32
		if i%10 == 7 { // one load goes to one word
			addr = 0xbeef
		}
		in = append(in, tuple.New(tuple.Load, site, 0), tuple.New(tuple.More, site, addr))
	}
	msgs := append(enginetest.Push(e, in), enginetest.Flush(e)...)
	least, most := box.New(32, 32).Estimate(msgs, []box.Span{{Lo: 0x401010, Hi: 0x401010}, {Lo: 0xbeef, Hi: 0xbeef}})
	if least > 5000 || most < 5000 || 5000-least > 2600 { // depth·(eps·n/64 + 2) is 2564
		t.Errorf("%d to %d events, want around 5000", least, most)
	}
}

func TestFilesThatAreNoLayout(t *testing.T) {
	for _, text := range []string{"x", "pep layout 2 build\n", "pep layout 1 build\n0x12\n",
		"pep layout 1 build\n0x12 x\n", "pep layout 1 build\n12 0x3\n", "pep layout 1 build\n\n0x12 0x3\n"} {
		_, err := parse(text, "code(x)")
		e, ok := errors.AsType[*hwsim.SyntaxError](err)
		if !ok || e.Column != 6 || e.Want != "a file that pep sites -layout has written" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestDescriptionsRoundTrip(t *testing.T) {
	read := func(string) ([]byte, error) { return []byte(layout()), nil }
	for _, text := range []string{`code("x")`, `code("x",to=site)`} {
		if s, err := engines.All.Parse(text, read); err != nil || s.String() != text {
			t.Errorf("%s is described as %v (%v)", text, s, err)
		}
	}
}
