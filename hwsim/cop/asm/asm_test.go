package asm

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// all uses each directive and each operation.
const all = `
.host   samples
.equ    SIZE 16
.sample pc value addr insn target event
.entry  load store 31 first
.entry  call second
.filter load call
.match  1 0x3 0x2
.mask   2
.seed   7
.const  K0 0xffffffffffffffff
.const  K15 SIZE
.value  V7 3
.index  I1 5
.width  I1 3
.base   B0 0 SIZE
.base   B3 SIZE SIZE
.target T2 second
.store  0x10005 3

first:  nop
again:  mov V1, pc ; inc I0 ; rd B0|I1 ; match I2 ; if eq goto again
        add V1, V0, K15 ; dec I0, I1 ; wr B1|I1.value ; write I2, result ; if !lt goto first likely
        sub value, addr ; sinc I0 ; dinc B3|I7.hits ; inval I2 ; if gt goto second
        adds V1, I3, M ; sdec I7 ; dsinc B0|I1.misses ; if hit goto done
        and V1, insn, target ; mov I1, I2 ; dclr B0|I1.total ; if !isat goto interrupt likely
        or V1, class, event ; clr I5 ; if msat goto T2
        xor V1, op, ra ; set I5 ; if dsat goto +3
        not V1, rb ; if empty goto -2 unlikely
        shl1 V1, V1 ; goto second
second: label2: shr1 V1 ; goto T2 unlikely
        shr8 V1, V2 ; done
        cmp V1, K0
        rand V1, K0
        set I0, V3 ; wr B0|I1, V3 ; match I1, V3
        interrupt
`

// Assembled, disassembled and assembled again a program makes the same stores.
func TestCOP13_RoundTripOfPrograms(t *testing.T) {
	sampler, err := os.ReadFile("programs/sampler.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{all, string(sampler)} {
		p, err := Assemble("x.s", source)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, p)
		m, err := machine.New(machine.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Load(p.Image); err != nil {
			t.Error(err)
		}
		for _, s := range p.Image.Stores {
			if got, err := m.Get(s.Register); err != nil || got != s.Value {
				t.Errorf("register %#x is %#x after a store of %#x (%v)", s.Register, got, s.Value, err)
			}
		}
	}
}

func checkRoundTrip(t *testing.T, p *Program) {
	t.Helper()
	text, err := Disassemble(p.Image.Text())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Assemble("again.s", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again.Image.Host != p.Image.Host || !slices.Equal(again.Image.Stores, p.Image.Stores) {
		t.Errorf("disassembled to\n%s", text)
	}
	parsed, err := machine.ParseImage(p.Image.Text())
	if err != nil || parsed.Host != p.Image.Host || !slices.Equal(parsed.Stores, p.Image.Stores) {
		t.Errorf("the text of the image is read as %+v (%v)", parsed, err)
	}
}

// checkWord checks a word that cop.Decode takes: its text is assembled to the word.
func checkWord(t *testing.T, w uint64) (valid bool) {
	t.Helper()
	in, err := machine.Decode(w)
	if err != nil {
		return false
	}
	text := Instr(in)
	p, err := Assemble("x.s", ".entry all x\nx: "+text+"\n done")
	if err != nil {
		t.Fatalf("%#x is %s: %v", w, text, err)
	}
	if got := p.Code[0].Instr.Encode(); got != w {
		t.Fatalf("%#x is %s, which is %#x", w, text, got)
	}
	return true
}

// Random words: those that mean something survive the round trip. Few do, so parts of them are
// cleared at random.
func TestCOP13_RoundTripOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	valid := 0
	for range 400_000 {
		w := r.Uint64() >> 4
		for _, part := range []struct{ at, bits int }{{0, 17}, {11, 6}, {17, 4}, {21, 9}, {24, 3}, {30, 11}, {41, 6}, {46, 1},
			{47, 13}, {54, 5}} {
			if r.IntN(2) == 0 {
				w &^= (1<<part.bits - 1) << part.at
			}
		}
		if checkWord(t, w) {
			valid++
		}
	}
	if valid < 10_000 {
		t.Errorf("%d words mean something: too few to tell", valid)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(0), "")
	f.Add(uint64(0x800008), all)
	f.Fuzz(func(t *testing.T, w uint64, source string) {
		checkWord(t, w)
		p, err := Assemble("x.s", source)
		if err == nil {
			if !strings.Contains(source, ".store") {
				checkRoundTrip(t, p)
			}
			return
		}
		for _, e := range err.(Errors) {
			lines := strings.Split(source, "\n")
			if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len(lines[e.Line-1])+1 || e.Text == "" {
				t.Errorf("%q: %v", source, e)
			}
		}
	})
}

// Each error has the line and the column of what is wrong.
func TestCOP13_Errors(t *testing.T) {
	const head = ".entry all x\n"
	for _, test := range []struct{ source, want string }{
		{"x: frob V1", "2:4: there is no operation frob"},
		{"x: mov K0, V1", "2:8: want V0 to V7, the only registers that the main ALU writes, found \"K0\""},
		{"x: mov B0, V1", "2:8: want V0 to V7, the only registers that the main ALU writes, found \"B0\""},
		{"x: add T0, V1, V2", "2:8: want V0 to V7, the only registers that the main ALU writes, found \"T0\""},
		{"x: inc K0", "2:8: want I0 to I7, found \"K0\""},
		{"x: add V1, V2, 5", "2:16: want an operand: a number must be in one of K0 to K15, by .const, found \"5\""},
		{"x: mul V1, V2, V3", "2:4: there is no operation mul"},
		{"x: div V1, V2, V3", "2:4: there is no operation div"},
		{"x: mov V1, V2 ; mov V3, V4", "2:17: mov: this microinstruction uses the main ALU already"},
		{"x: inc I0 ; clr I1", "2:13: clr: this microinstruction uses the index ALU already"},
		{"x: rd B0|I0 ; wr B1|I1", "2:15: wr: this microinstruction uses the data array already"},
		{"x: match I0 ; inval I0", "2:15: inval: this microinstruction uses the associative array already"},
		{"x: done ; done", "2:11: done: this microinstruction uses the branch slot already"},
		{"x: match I0 ; inc I0", "2:4: the index ALU and the associative array both write I0"},
		{"x: add V1, V2, V3 ; wr B0|I0, V1", "2:31: V1 must pass through the main ALU, which has an operation in this line: store its result, or use another line"},
		{"x: wr B0|I0, V1 ; set I0, V2", "2:27: V2 must pass through the main ALU, which passes another operand in this line"},
		{"x: wr B0|I0", "2:4: wr stores the result of the main ALU, which has no operation in this line"},
		{"x: wr B4|I0, V0", "2:7: want B0 to B3, found \"B4\""},
		{"x: rd B0|I0.pc", "2:13: want one of value, hits, misses, total and high, found \"pc\""},
		{"x: if foo goto x", "2:7: want a predicate, one of eq, lt, gt, hit, isat, msat, dsat, empty, found \"foo\""},
		{"x: if eq x", "2:10: want \"goto\", found \"x\""},
		{"x: goto y", "2:9: there is no label y"},
		{"x: goto", "2:8: want a label, T0 to T3, done or interrupt, found the end of the line"},
		{"x: goto +16", "2:10: 16: want a distance from 0 to 15"},
		{"x: " + strings.Repeat("nop\n", 20) + "goto x",
			"22:6: x is -20 microinstructions away, and branches reach from -16 to 15: use .target and T0 to T3"},
		{"x: done done", "2:9: want \";\", found \"done\""},
		{"x: nop", "2:1: the program ends without a branch that is always taken: want done, interrupt or goto"},
		{"x: done\nx: done", "3:1: label x is there already"},
		{"x: done\ny:", ""},
		{"x: goto y\ny:", "2:9: no microinstruction follows label y"},
		{"T0: x: done", "2:1: branches to T0 go elsewhere: want another label"},
		{"3: x: done", "2:1: \"3\" is no label: want a letter, and then letters, digits and underscores"},
		{"x: done\n.frob", "3:1: there is no directive .frob"},
		{"x: done\n.const K16 3", "3:8: want K0 to K15, found \"K16\""},
		{"x: done\n.const K1 foo", "3:11: want a number, found \"foo\""},
		{"x: done\n.const K1 3 4", "3:13: want the end of the line, found \"4\""},
		{"x: done\n.const K1 3\n .const K1 4", "4:2: this is there already, in line 3"},
		{"x: done\n.base B0 8 16", "3:10: a sub-array of 16 words at 8: want a size that is a power of two and an address that is a multiple of it"},
		{"x: done\n.base B0 0 12", "3:10: a sub-array of 12 words at 0: want a size that is a power of two and an address that is a multiple of it"},
		{"x: done\n.width I0 17", "3:11: 17: want a width from 1 to 16"},
		{"x: done\n.value V8 3", "3:8: want V0 to V7, found \"V8\""},
		{"x: done\n.index I8 3", "3:8: want I0 to I7, found \"I8\""},
		{"x: done\n.width I8 3", "3:8: want I0 to I7, found \"I8\""},
		{"x: done\n.target T4 x", "3:9: want T0 to T3, found \"T4\""},
		{"x: done\n.target T0 z", "3:12: there is no label z"},
		{"x: done\n.entry load x", "3:1: class load has an entry already"},
		{"x: done\n.sample pc foo", "3:12: want one of pc, value, addr, insn, target and event, found \"foo\""},
		{"x: done\n.match 0 1 2", "3:12: no hash has these bits: some are not in the mask"},
		{"x: done\n.equ A 1\n.equ A 2", "4:1: A is defined already"},
		{"x: done ; $", "2:11: want an operation, found \"$\""},
	} {
		_, err := Assemble("f.s", head+test.source)
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.(Errors)[0].Error(), "f.s:")
		}
		if got != test.want {
			t.Errorf("%q:\ngot  %s\nwant %s", test.source, got, test.want)
		}
	}
	for source, want := range map[string]string{
		"":                                     "f.s:1:1: there are no microinstructions",
		"x: done":                              "f.s:1:1: no .entry says where the routine of a class begins",
		".entry load x\n.filter call\nx: done": "f.s:2:1: the filter accepts class call, which has no .entry",
		// A line that is wrong is an instruction to the branches of other lines, also of its own.
		".entry all x\nx: goto y lukely\ngoto x": "f.s:2:11: want \";\", found \"lukely\"\nf.s:2:9: there is no label y",
		"a b\nc d":                               "f.s:1:1: there is no operation a\nf.s:2:1: there is no operation c\nf.s:2:1: no .entry says where the routine of a class begins",
	} {
		_, err := Assemble("f.s", source)
		if e, ok := errors.AsType[Errors](err); !ok || e.Error() != want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}

func TestCOP13_Listing(t *testing.T) {
	p, err := Assemble("count.s", ".sample pc\n.entry load x # loads\n.const K1 1\nx:  add V0, V0, K1 ; inc I0\n    if isat goto full\n    done\nfull: interrupt")
	if err != nil {
		t.Fatal(err)
	}
	const want = `count.s: 4 microinstructions, 8 stores to load it
addr  word              line  source
   0  0000000000308802     4  x:  add V0, V0, K1 ; inc I0
   1  0082800000000000     5      if isat goto full
   2  0828000000000000     6      done
   3  0838000000000000     7  full: interrupt
3 of 4 branch slots are used (75%)
`
	if got := p.Listing(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The view of each cycle, written down by hand.
func TestCOP13_Trace(t *testing.T) {
	p, err := Assemble("x.s", `
		.sample pc value
		.entry load x
		.const K1 1
		.width I0 1
	x:	add V0, V0, K1 ; inc I0 ; write I0
		wr B0|I0.value, value ; if isat goto full
		done
	full:	interrupt`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.New(machine.Config{})
	if err == nil {
		err = m.Load(p.Image)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	v := &Tracer{W: &b, M: m}
	m.Offer(10, machine.Sample{PC: 0x40, Value: 7, Class: 3})
	v.Run(20)
	m.Offer(20, machine.Sample{PC: 0x44, Value: 8, Class: 3})
	if got := v.Run(100); got != machine.Interrupted {
		t.Errorf("state %d", got)
	}
	m.Resume(50)
	m.Offer(60, machine.Sample{PC: 0x48, Class: 3})
	v.Run(64)
	v.Summary()
	const want = `cycle  addr
    0        12 cycles without an event
   12     0  add V0, V0, K1 ; inc I0, I0 ; write I0   V0=0x1 I0=0x1 slot[0]=0x40
   13     1  wr B0|I0.value, value ; if isat goto +2  data[1]=0x7 not taken, predicted
   14     2  goto done                                taken, predicted
   15        7 cycles without an event
   22     0  add V0, V0, K1 ; inc I0, I0 ; write I0   V0=0x2 I0=0x0 slot[1]=0x44 flags=isat
   23     1  wr B0|I0.value, value ; if isat goto +2  data[0]=0x8 taken, predicted wrongly
   24        2 cycles lost: the branch was predicted wrongly
   26     3  goto interrupt                           taken, predicted
   27        25 cycles halted by an interrupt
   52        10 cycles without an event
   62     0  add V0, V0, K1 ; inc I0, I0 ; write I0   V0=0x3 I0=0x1 slot[0]=0x48 flags=none
   63     1  wr B0|I0.value, value ; if isat goto +2  data[1]=0x0 not taken, predicted

3 samples: 2 done, 0 ended by the watchdog; 0 events filtered, 0 dropped
64 cycles: 8 instructions, 2 lost by wrong predictions, 29 without an event, 25 halted by 1 interrupt
1.25 cycles per instruction, 4.00 instructions per sample
5 of 8 branch slots used (62.50%): 3 taken, 1 predicted wrongly
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Microcode writes value registers and index registers. Constants, bases, targets and the
// fields of the event are for software.
func TestCOP05_MicrocodeWritesValuesAndIndexes(t *testing.T) {
	program := func(line string) string { return ".const K0 1\n.base B0 0 4\n.entry all x\nx: " + line + "\n done\n" }
	for _, line := range []string{"mov V0, K0", "add V7, V1, K0", "inc I0", "clr I7", "set I3, V0"} {
		if _, err := Assemble("x.s", program(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{"mov K0, V0", "mov B0, V0", "mov T0, V0", "mov pc, V0", "mov M, V0", "add K1, V0, V1",
		"inc K0", "set B0, V0", "set T0, V0"} {
		_, err := Assemble("x.s", program(line))
		if err == nil || !strings.HasPrefix(err.Error(), "x.s:4:") {
			t.Errorf("%s: got %v, want an error in line 4", line, err)
		}
	}
}
