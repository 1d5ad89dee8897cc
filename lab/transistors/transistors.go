// Package transistors estimates how many transistors a co-processor of package
// hwsim/cop/machine needs in hardware.
//
//	t, err := transistors.Of(machine.Config{Slots: 512})
//	t.Total            // about 0.8 million
//	t.Structures[4]    // the data array: {data array 1rw 512 64 …}
//	listing.Text(os.Stdout, t)
//
// The estimate counts cells, decoders, sense amplifiers and gates. It has no wires, no
// clock tree and no layout, and says nothing about area or delay.
//
// Source: Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001, section
// 3.4 and table 1. The paper estimates half a million transistors in all, most of them in
// memory arrays. Our text of the paper has lost the numbers of the table, and it does not
// say how the paper counts. All constants here are ours.
package transistors

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/internal/listing"
)

// Transistors of the circuits, in static CMOS, from general knowledge.
const (
	staticBit  = 6  // a static cell with one port
	furtherBit = 2  // each further port of a cell: two access transistors
	searchBit  = 10 // a static cell with a comparison of four
	rowGates   = 10 // a gate of three inputs that selects a row, and its driver
	predecode  = 64 // for each three bits of an address: eight gates of three inputs with inverters
	columnBit  = 16 // precharge, sense amplifier and write driver of a column, for each port
	flipFlop   = 24 // two latches with the inverters of the clock
	fullAdder  = 28 // one bit of an adder
	gate       = 4  // nand or nor of two inputs
	exclusive  = 8  // xor of two inputs, of transmission gates
	choose     = 6  // one of two inputs, of transmission gates
)

// The machine has more registers and units than package machine has in its Config.
const (
	decoded     = 4  // instructions that the main processor decodes in a cycle: each needs filters of its own
	indexBits   = 16 // the widest index register
	hashBits    = 32
	shiftBits   = 32
	shiftGates  = 3 * 32 // of 32 steps of the shift register in a cycle, three gates for each
	fieldGroups = 5      // inputs of an operand: V, K, I, fields, M
	fieldInputs = 10     // fields among them
	eventBytes  = 38     // all fields of the event that the decoder and field extractor holds
	predicates  = 8
	windows     = 14
)

// A Table has the structures of a co-processor.
type Table struct {
	Engine     string      `json:"engine"`
	Total      int         `json:"total" unit:"transistors"`
	Arrays     int         `json:"arrays" unit:"transistors"` // of these, those of memory arrays
	Structures []Structure `json:"structures"`
}

// A Structure is a memory array, a register file or a unit of a co-processor.
type Structure struct {
	Name    string `json:"name"`
	Ports   string `json:"ports"`                    // "1rw", "2r 1w"; "" for logic
	Entries int    `json:"entries" unit:"words"`     // 0 for logic
	Bits    int    `json:"bits" unit:"bits"`         // of an entry
	Cells   int    `json:"cells" unit:"transistors"` // of the cells
	Rest    int    `json:"rest" unit:"transistors"`  // of decoders, sense amplifiers and logic
	Array   bool   `json:"array"`                    // it is a memory array
}

// Total returns all transistors of a structure.
func (s Structure) Total() int { return s.Cells + s.Rest }

// Of estimates the transistors of a co-processor. Each array has its words as
// rows. The filter of PCs and the sample buffer have rows of 64 bits, which is what
// software and the engine read at once. The arrays that microcode uses have one port; the
// sample buffer has one for the main processor and one for the engine. Each hash function
// counts as two xors for each bit. So the third of machine.DefaultHashes, a product, counts as
// less than a multiplier: hardware would have another function there. An error is one of
// machine.New.
func Of(c machine.Config) (*Table, error) {
	m, err := machine.New(c)
	if err != nil {
		return nil, err
	}
	c = m.Config()
	address := bits.Len(uint(c.Microcode - 1))
	t := &Table{}
	t.array("PC filter bits", "1rw", c.FilterPCs/64, 64, staticBit, 1)
	t.array("sample buffer", "1r 1w", (c.Buffer+7)/8, 64, staticBit+furtherBit, 2)
	code := 64
	if c.Dynamic {
		code++ // what the branch did last
	}
	t.array("microcode array", "1rw", c.Microcode, code, staticBit, 1)
	// A match needs a sense amplifier for each slot, and a gate of the encoder that finds
	// the lowest slot.
	t.array("associative array", "1rw 1match", c.Slots, c.KeyBits+1, searchBit, 1)
	t.last().Rest += c.Slots * (columnBit + 3*gate)
	t.array("data array", "1rw", c.Data, 64, staticBit, 1)

	t.file("value registers", 8, c.Width, 2, 1)
	// read by the index ALU, as address, slot and two operands; written by the index ALU and a match
	t.file("index registers", 8, indexBits, 5, 2)
	t.file("constant registers", 16, c.Width, 2, 1)
	t.file("base address registers", 4, bits.Len(uint(c.Data-1)), 1, 1)
	t.file("branch target registers", 4, address, 1, 1)

	t.file("decoder and field extractor", machine.NumClasses, address, 1, 1)
	t.last().Rest += 8*eventBytes*flipFlop + 2*c.Width*(fieldInputs-1)*choose

	sources := 2 * c.Width * (fieldGroups - 1) * choose
	logic := 3*gate + exclusive + 3*choose // and, or, not, xor, and the choice among them
	shifts := 3 * choose                   // by 1 to either side, and by 8
	result := 3*choose + gate              // saturation, the choice of the result, comparison
	t.logic("main ALU", sources+c.Width*(fullAdder+logic+shifts+result))
	t.logic("shift register", shiftBits*flipFlop+shiftGates*exclusive)
	t.logic("index ALU", indexBits*(fullAdder+gate+3*choose)+8*4*flipFlop) // with the widths of the registers
	// increment, merge, and the alignment of five fields to and fro
	t.logic("fields of data words", 64*(fullAdder+choose+2*4*choose))
	t.logic("control", 2*64*flipFlop+address*(2*fullAdder+flipFlop+4*choose)+predicates*(flipFlop+choose))
	hashes := len(c.Hashes) * (2*exclusive + choose)
	compare := 2*gate + exclusive
	t.logic("filters", (machine.NumClasses+2*hashBits)*flipFlop+
		decoded*(machine.NumClasses*choose+hashBits*(hashes+compare)))
	t.logic("host interface", 2*64*flipFlop+windows*(8*gate+64*choose))
	for _, s := range t.Structures {
		t.Total += s.Total()
		if s.Array {
			t.Arrays += s.Total()
		}
	}
	return t, nil
}

// Parse estimates the transistors of the first co-processor in the description of an engine
// or a chain.
func Parse(text string, read hwsim.ReadFile) (*Table, error) {
	spec, err := engines.Parse(text, read)
	if err != nil {
		return nil, err
	}
	for _, s := range spec.Stages() {
		c, ok := s.(interface{ Config() machine.Config })
		if !ok {
			continue
		}
		t, err := Of(c.Config())
		if err == nil {
			t.Engine = s.String()
		}
		return t, err
	}
	return nil, fmt.Errorf("%s is no co-processor: want an engine such as cop(slots=512)", spec)
}

func (t *Table) last() *Structure { return &t.Structures[len(t.Structures)-1] }

// array adds a memory array.
func (t *Table) array(name, ports string, entries, width, cell, columns int) {
	t.Structures = append(t.Structures, Structure{name, ports, entries, width, entries * width * cell,
		periphery(entries, width, columns), true})
}

// periphery returns the transistors of the decoders and columns of an array.
func periphery(entries, width, ports int) int {
	groups := (bits.Len(uint(entries-1)) + 2) / 3
	return ports * (entries*rowGates + groups*predecode + width*columnBit)
}

// file adds a register file. Its reads need no sense amplifiers: a cell drives the short
// lines by itself.
func (t *Table) file(name string, entries, width, reads, writes int) {
	ports := reads + writes
	cell := staticBit + (ports-1)*furtherBit
	t.Structures = append(t.Structures, Structure{name, fmt.Sprintf("%dr %dw", reads, writes), entries, width,
		entries * width * cell, ports * entries * rowGates, false})
}

func (t *Table) logic(name string, n int) {
	t.Structures = append(t.Structures, Structure{Name: name, Rest: n})
}

// Name implements listing.Listing.
func (t *Table) Name() string { return "size" }

// Print implements listing.Listing.
func (t *Table) Print(p *listing.Page) {
	p.Line("%s: about %s transistors, %s of them in memory arrays (%s)", t.Engine, listing.Number(float64(t.Total), 0),
		listing.Number(float64(t.Arrays), 0), listing.Percent(float64(t.Arrays)/float64(t.Total)))
	p.Line("")
	table := &listing.Table{Numbers: 3}
	table.Row("transistors", "cells", "the rest", "structure", "size", "ports")
	for _, s := range t.Structures {
		size := ""
		if s.Entries > 0 {
			size = fmt.Sprintf("%d x %d bits", s.Entries, s.Bits)
		}
		table.Row(strconv.Itoa(s.Total()), strconv.Itoa(s.Cells), strconv.Itoa(s.Rest), s.Name, size, s.Ports)
	}
	p.Table("  ", table)
}
