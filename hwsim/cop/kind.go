package cop

// This file parses and writes descriptions of machines as engines.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/clock"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/images"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Kind makes machines available as engines:
//
//	cop(program=sampler.cop,clock=0.5,k0=64)
//
// The program is the name of a built-in one, such as sampler, or a file that the assembler
// has written: see [Image]. The sources of the built-in programs are in
// hwsim/cop/asm/programs. Without a program the machine runs the simple sampler. A file
// with the name of a built-in program needs a path, as in ./sampler. The other parameters
// are
//
//	clock      cycles of the machine for one of the main processor, such as 0.5; 1
//	near, far, retire, burst, pause
//	           how the main processor retires events, see clock.Config; 2, 8, 1 and no bursts
//	access     cycles of the main processor for a load or store in the window; 2
//	handler    cycles of the main processor for an interrupt, besides accesses; 200
//	record     cycles of the main processor for a record that software takes over, besides accesses; 20
//	k0         what constant K0 is, instead of what the program says: for the sampler the period
//	seed       of the shift register; 1
//	slots, keybits, data, microcode, filterpcs, buffer, penalty, watchdog
//	           the fields of Config
//	predictor  static or dynamic
//
// Software of a program may have parameters of its own, which other programs do not take. Those of
// value profiling, program=values, are in the comment of options in package values.
//
// An event of the stream is a sample: its class is the tag, and its value is the word.
// The word is also the target for calls, and the address for tuple.Addr and tuple.More.
//
// If the program selects the field addr, an event of several words, as -peptaps=pairs
// and ops report it, is one sample: the class and the value are those of the first word,
// the second word is the address, and the third one the target. Otherwise each word is a
// sample, and the class of further words is more or third.
//
// Behind another engine in a chain, such as cache, the machine gets each message as an
// event. Of a message that stands for n events, n-1 are counted as dropped.
var Kind = &hwsim.Kind{
	Name: "cop",
	Params: append([]string{"program", "clock", "access", "handler", "record", "k0", "seed",
		"slots", "keybits", "data", "microcode", "filterpcs", "buffer", "penalty", "watchdog", "predictor"}, clock.Params...),
	Also:     true,
	Parse:    parse,
	Weighted: true,
	Examples: []string{
		"cop(program=edges)", "cop(program=targets)", "cop(program=follow,near=20,far=30)",
		"cop(program=deps,near=30,far=30)", "cop(program=conflicts,near=30,far=30,k0=448)",
		"cop(program=callstack,near=20,far=30)",
		"cop", "cop(clock=0.5,k0=1)", "cop(clock=0.05,k0=1,buffer=100,predictor=dynamic)",
		"cop(clock=0.5,retire=4,burst=64,pause=20,k0=1)",
		"cop(near=1,far=20,access=5,handler=10,record=30,k0=16,slots=512,keybits=64,microcode=64,filterpcs=128,penalty=3,watchdog=16)",
		"cop(program=values)", "cop(program=values,slots=8,records=8,timer=3000,clear=20000,least=4,times=2)",
		"cop(program=values,clock=0.25,slots=16,r=7,rf=0.5,keep=3,fth=1,dth=1,advance=1,hi=90,lo=1,fast=20,decide=3,estimate=4,weigh=0,bound=0,early=0)",
	},
}

const billion = 1_000_000_000

// spec describes an engine.
type spec struct {
	config                 machine.Config
	file                   string
	image                  *machine.Image
	host                   *host.Host
	ratio                  uint64 // billionths of a cycle
	processor              clock.Config
	access, handler, trans uint64
	k0                     uint64
	setK0                  bool
	seed                   uint64
	params                 host.Params      // of the host, nil if it has none
	initial                *machine.Machine // the machine with its program loaded
}

func parse(a *hwsim.Args) hwsim.Spec {
	s := &spec{file: a.String("program", "")}
	s.ratio = clockRatio(a)
	s.processor = clock.Parse(a)
	s.access, s.handler, s.trans = a.Uint("access", 2, 0, 1<<20), a.Uint("handler", 200, 0, 1<<30),
		a.Uint("record", 20, 0, 1<<20)
	s.setK0 = a.String("k0", "") != ""
	s.k0 = a.Uint("k0", 0, 0, 1<<62)
	s.seed = a.Uint("seed", 1, 1, 1<<32-1)
	s.config = machine.Config{
		Slots:     int(a.Uint("slots", 256, 8, 4096)),
		KeyBits:   int(a.Uint("keybits", 32, 8, 64)),
		Microcode: int(a.Uint("microcode", 512, 32, 4096)),
		FilterPCs: int(a.Uint("filterpcs", 8192, 64, 1<<20)),
		Buffer:    int(a.Uint("buffer", 1024, 16, 1<<20)),
		Penalty:   a.Uint("penalty", 2, 0, 64),
		Watchdog:  a.Uint("watchdog", 1<<16, 16, 1<<40),
	}
	s.config.NoPenalty = s.config.Penalty == 0
	s.config.Data = int(a.Uint("data", uint64(s.config.Slots), 8, 4096))
	for _, p := range []struct {
		name string
		n    int
	}{{"slots", s.config.Slots}, {"data", s.config.Data}, {"microcode", s.config.Microcode},
		{"filterpcs", s.config.FilterPCs}} {
		if p.n&(p.n-1) != 0 {
			a.WantFor(p.name, "a power of two")
			return s
		}
	}
	switch predictor := a.String("predictor", "static"); predictor {
	case "static":
	case "dynamic":
		s.config.Dynamic = true
	default:
		a.WantFor("predictor", "static or dynamic")
	}
	s.load(a)
	return s
}

// load makes the machine that all others are copied from.
func (s *spec) load(a *hwsim.Args) {
	name := s.file
	if name == "" {
		name = "sampler"
	}
	text, known := images.Find(name)
	if !known {
		text = string(a.File("program"))
	}
	if s.config.Slots == 0 {
		return // there was an error
	}
	fail := func(err error) { a.WantFor("program", "a program for this machine: "+err.Error()) }
	image, err := machine.ParseImage(text)
	if err != nil {
		fail(err)
		return
	}
	s.image = image
	if s.host = findHost(image.Host); s.host == nil {
		fail(machine.Error("its host is " + image.Host + ", and there are " + hostNames()))
		return
	}
	a.Also(s.host.Params, ofOtherHost)
	if s.host.Parse != nil {
		s.params = s.host.Parse(a)
	}
	if s.initial, err = machine.New(s.config); err == nil {
		if err = s.initial.Load(image); err == nil && s.setK0 {
			err = s.initial.Set(machine.ConstWindow, s.k0)
		}
	}
	if err == nil && s.params != nil {
		err = s.params.Setup(s.initial)
	}
	if err == nil {
		err = s.host.Check(s.initial)
	}
	if err != nil {
		fail(err)
	}
}

// ofOtherHost says that only other programs have a parameter, "" if none has it.
func ofOtherHost(name string) string {
	for _, h := range hosts {
		for _, p := range h.Params {
			if p == name {
				return "no " + name + ": only programs for the host " + h.Name + " have it, such as program=" + programOf(h.Name)
			}
		}
	}
	return ""
}

// clockRatio parses a decimal number.
func clockRatio(a *hwsim.Args) uint64 {
	text := a.String("clock", "1")
	n, places, point, ok := uint64(0), 9, false, text != ""
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.' && !point && i > 0:
			point = true
		case '0' <= c && c <= '9' && n < 1<<40 && places > 0:
			n = 10*n + uint64(c-'0')
			if point {
				places--
			}
		default:
			ok = false
		}
	}
	for range places {
		n *= 10
	}
	if !ok || n < billion/1000 || n > 64*billion {
		a.WantFor("clock", "a number from 0.001 to 64, such as 0.5")
	}
	return n
}

// String returns the description. It omits parameters that have their defaults.
func (s *spec) String() string {
	text := ""
	add := func(name, value string) { text += "," + name + "=" + value }
	number := func(name string, n, otherwise uint64) {
		if n != otherwise {
			add(name, digits.Uint(n))
		}
	}
	if s.file != "" {
		add("program", `"`+s.file+`"`)
	}
	if s.ratio != billion {
		add("clock", decimal(s.ratio))
	}
	text += s.processor.Text()
	number("access", s.access, 2)
	number("handler", s.handler, 200)
	number("record", s.trans, 20)
	if s.setK0 {
		add("k0", digits.Uint(s.k0))
	}
	number("seed", s.seed, 1)
	c := s.config
	number("slots", uint64(c.Slots), 256)
	number("keybits", uint64(c.KeyBits), 32)
	number("data", uint64(c.Data), uint64(c.Slots))
	number("microcode", uint64(c.Microcode), 512)
	number("filterpcs", uint64(c.FilterPCs), 8192)
	number("buffer", uint64(c.Buffer), 1024)
	number("penalty", c.Penalty, 2)
	number("watchdog", c.Watchdog, 1<<16)
	if c.Dynamic {
		add("predictor", "dynamic")
	}
	if s.params != nil {
		s.params.Write(add)
	}
	if text == "" {
		return "cop"
	}
	return "cop(" + text[1:] + ")"
}

// decimal writes billionths as a decimal number, without zeros at the end.
func decimal(n uint64) string {
	text := digits.Uint(n / billion)
	if n %= billion; n > 0 {
		part := digits.Uint(billion + n)[1:]
		for part[len(part)-1] == '0' {
			part = part[:len(part)-1]
		}
		text += "." + part
	}
	return text
}

// WithSeed returns s with another seed for the shift register. The seed has 32 bits.
func (s *spec) WithSeed(seed uint64) hwsim.Spec {
	c := *s
	if c.seed = uint64(uint32(seed)); c.seed == 0 {
		c.seed = 1
	}
	return &c
}

// Config returns the sizes of the machine.
func (s *spec) Config() machine.Config { return s.initial.Config() }

// View returns the tuple that messages are about, for an event.
func (s *spec) View(t tuple.Tuple) tuple.Tuple {
	if s.host.View != nil {
		return s.host.View(t)
	}
	return t
}

// Views reports whether View changes anything.
func (s *spec) Views() bool { return s.host.View != nil }

// Ranges reports whether engines send messages with Free bits.
func (s *spec) Ranges() bool { return s.host.Ranges }

// Exact implements hwsim.Deriver.
func (s *spec) Exact() hwsim.Engine {
	if s.host.Exact == nil {
		return nil
	}
	return s.host.Exact(s.initial)
}

// Size returns the storage of the machine. The sample buffer counts with its bytes, and
// the registers with the bits that software and microcode can access.
func (s *spec) Size(int) []hwsim.Part {
	c := s.initial.Config()
	return []hwsim.Part{
		{Name: "cop microcode", Entries: c.Microcode, Bits: 64},
		{Name: "cop associative array", Entries: c.Slots, Bits: c.KeyBits + 1},
		{Name: "cop data array", Entries: c.Data, Bits: 64},
		{Name: "cop filter of PCs", Entries: c.FilterPCs, Bits: 1},
		{Name: "cop sample buffer", Entries: c.Buffer, Bits: 8},
		{Name: "cop values and constants", Entries: 24, Bits: c.Width},
		{Name: "cop indexes, bases and targets", Entries: 16, Bits: 16},
		{Name: "cop table of routines", Entries: machine.NumClasses, Bits: 16},
	}
}
