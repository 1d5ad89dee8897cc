package where_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// op returns the sample of an operation.
func op(site, result, x, y uint64) []tuple.Tuple {
	return []tuple.Tuple{tuple.New(tuple.Op, site, result), tuple.New(tuple.More, site, x),
		tuple.New(tuple.Third, site, y)}
}

// load returns the sample of a load.
func load(site, value, addr uint64) []tuple.Tuple {
	return []tuple.Tuple{tuple.New(tuple.Load, site, value), tuple.New(tuple.More, site, addr)}
}

// words returns the words of messages.
func words(msgs []hwsim.Message) (list []uint64) {
	for _, m := range msgs {
		list = append(list, m.Tuple.W)
	}
	return list
}

func negative(n int64) uint64 { return uint64(n) }

// RAP-27: operations with narrow operands, addresses of zero loads.
func TestRAP27_SamplesThatMeetConditionsGoOn(t *testing.T) {
	var in []tuple.Tuple
	for _, s := range [][]tuple.Tuple{
		op(1, 10, 3, 7), op(2, 65536, 65535, 1), op(3, 65535, 65536, negative(-1)), op(4, 2, 1, 1<<40),
		op(5, 0, 5, negative(-5)), op(6, 1, negative(-32768), negative(-32769)),
		load(7, 0, 0xc000000010), load(8, 1, 0xc000000020), load(7, 0, 0xc000000030), {tuple.New(tuple.Load, 9, 0)},
	} {
		in = append(in, s...)
	}
	for text, want := range map[string][]uint64{
		"where(second=-32768..65535,third=-32768..65535,pass=first)": {10, 65536, 0},
		"where(second=0..0xffff,third=0..0xffff,pass=first)":         {10, 65536},
		"where(third=-5,pass=second)":                                {5},
		"where(third=-40000..-4)": {0, 5, negative(-5), 1, negative(-32768),
			negative(-32769)},
		"where(0,pass=second)":                        {5, 0xc000000010, 0xc000000030},
		"where(first=0,third=0..9)":                   nil,
		"where(first=0,site=7..9)":                    {0, 0xc000000010, 0, 0xc000000030, 0},
		"where(site=8,first=2..18446744073709551615)": nil,
		"where(site=9)":                               {0},
		"where(pass=third)":                           {7, 1, negative(-1), 1 << 40, negative(-5), negative(-32769)},
	} {
		e := enginetest.New(t, engines.Parse, text)
		got := enginetest.Push(e, in)
		if b := e.Balance(); int(b.Held)+int(b.Dropped)+len(got) != len(in) {
			t.Errorf("%s: of %d events %d are held, %d dropped and %d sent", text, len(in), b.Held, b.Dropped, len(got))
		}
		got = append(got, enginetest.Flush(e)...)
		if d := cmp.Diff(want, words(got)); d != "" {
			t.Errorf("%s: -want +got:\n%s", text, d)
		}
	}

	e := enginetest.New(t, engines.Parse, "where(0,pass=second)")
	got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
	if got[1].Tuple != tuple.New(tuple.More, 7, 0xc000000010) || got[1].Count != 1 {
		t.Errorf("a word that goes on is %+v, want the tuple of the sample", got[1])
	}
	var counted []hwsim.Message
	out := hwsim.NewOut(8, func(m []hwsim.Message) { counted = append(counted, m...) })
	zero := load(7, 0, 64)
	e.(hwsim.Weighted).PushWeighted([]hwsim.Message{{Tuple: zero[0], Count: 5}, {Tuple: zero[1], Count: 5}}, out)
	e.Flush(out)
	out.Drain()
	if d := cmp.Diff([]hwsim.Message{{Tuple: zero[1], Count: 5}}, counted); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestErrors(t *testing.T) {
	const number = "a number, or a range such as 0..65535, -128..127 or 0xc000000000..0xc0ffffffff"
	for text, want := range map[string]struct {
		column int
		want   string
	}{
		"where(first=x)":                        {13, number},
		"where(first=-)":                        {13, number},
		"where(first=3..2)":                     {13, number},
		"where(first=1..)":                      {13, number},
		"where(first=5..-5)":                    {13, number},
		"where(first=-1..0x8000000000000000)":   {13, number},
		"where(second=18446744073709551616)":    {14, number},
		"where(second=-9223372036854775809)":    {14, number},
		"where(second=0xfg)":                    {14, number},
		"where(first<5)":                        {7, number},
		"where(value=0)":                        {7, "one of first, second, third, site, pass"},
		"where(first=0,pass=address)":           {20, "one of all, first, second, third"},
		"where(first=-9223372036854775808..-9)": {},
	} {
		_, err := engines.Parse(text, nil)
		e, _ := errors.AsType[*hwsim.SyntaxError](err)
		if want.column == 0 && err != nil || want.column > 0 && (e == nil || e.Column != want.column || e.Want != want.want) {
			t.Errorf("%s: %v, want column %d: %s", text, err, want.column, want.want)
		}
	}
}

// Descriptions are written so that they are read as the same ranges.
func TestRangesAreWrittenAsTheyAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"where(0)":                               "where(first=0)",
		"where(0xabcdef)":                        "where(first=11259375)",
		"where(-5)":                              "where(first=-5)",
		"where(-7..-5)":                          "where(first=-7..-5)",
		"where(-1..1)":                           "where(first=-1..1)",
		"where(0x10..0xffffffffffffffff,site=3)": "where(first=16..18446744073709551615,site=3)",
		"where(0..18446744073709551615)":         "where",
	} {
		s, err := engines.Parse(text, nil)
		if err != nil || s.String() != want {
			t.Errorf("%s is written %s (%v), want %s", text, s, err, want)
		}
	}
}
