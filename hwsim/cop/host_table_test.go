package cop_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// countPCs counts how often each PC occurs, and in B2 how often it occurs with an odd
// value.
const countPCs = `
	.host   table
	.sample pc value
	.entry  all look
	.base   B0 0 64
	.base   B1 64 64
	.base   B2 128 64
	.width  I1 6
	.const  K0 1
	.const  K1 7
look:	match I0 ; and V0, value, K0
	cmp V0, K0 ; if hit goto old likely
	mov I0, I1 ; write I1
	wr B1|I0.value, K1 ; inc I1
	if isat goto last
old:	dsinc B1|I0.total ; if !eq goto done
	dsinc B2|I0.total ; if !dsat goto done likely
	interrupt
last:	dsinc B1|I0.total ; if !eq goto interrupt
	dsinc B2|I0.total
	interrupt`

// The host table sends each PC with the words and counts of the program, whether or not
// the table is full in between.
func TestCOP12_HostTable(t *testing.T) {
	s, err := coptest.Parse("count,slots=64,data=256,keybits=64,near=100,far=100",
		map[string]string{"count": coptest.Image(t, countPCs)})
	must(t, err)
	for _, sites := range []int{3, 200} {
		in := tracetest.New(3, sites).Events(make([]tuple.Tuple, 20_000))
		e := s.New(0)
		messages := enginetest.Push(e, in)
		if full := len(messages) > 0; full != (sites == 200) {
			t.Errorf("%d sites: %d messages before the end", sites, len(messages))
		}
		messages = append(messages, enginetest.Flush(e)...)
		got, want := totalsOf(messages), map[tuple.Tuple]uint64{}
		for _, x := range in {
			want[tuple.Tuple{PC: x.PC, W: 7}]++
			if x.W&1 == 1 {
				want[tuple.Tuple{PC: x.PC}]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d sites: %d tuples, want %d, or others", sites, len(got), len(want))
		}
		if b := e.Balance(); b != (hwsim.Balance{}) {
			t.Errorf("after the end: %+v", b)
		}
	}
	for _, x := range []struct{ old, new, args, want string }{
		{"", "", "slots=64,data=256", "keys of 32 bits: the host table wants whole PCs as keys: add keybits=64"},
		{"", "", "slots=128,data=256,keybits=64", "B1 has 64 words: the host table wants one for each of the 128 slots"},
		{".sample pc value", ".sample value", "slots=64,data=256,keybits=64",
			"the fields of a sample: the host table wants pc among them"},
		{"\t.base   B1 64 64\n\t.base   B2 128 64\n", "", "slots=64,data=256,keybits=64",
			"B1, B2 and B3 are not set: the host table wants one of them, with a word for each slot"},
	} {
		_, err := coptest.Parse("count,"+x.args,
			map[string]string{"count": coptest.Image(t, strings.Replace(countPCs, x.old, x.new, 1))})
		if err == nil || !strings.HasSuffix(err.Error(), ": "+x.want) {
			t.Errorf("%s: %v, want %s", x.args, err, x.want)
		}
	}
}
