package machine

// This file holds the window of addresses through which software reads and writes a
// machine (section 3.5).

import "github.com/pepgo/pep/format/digits"

// The window: the number of a register is the sum of one of these and the number of the
// word.
const (
	MicrocodeWindow = iota << 16
	DataWindow
	KeyWindow    // keys of the slots of the associative array; a store makes the slot valid
	ValidWindow  // 1 for slots that are valid; a store of 0 invalidates
	FilterWindow // 64 bits of the filter with a bit for each PC: 1 rejects
	ValueWindow  // V0 to V7
	IndexWindow  // I0 to I7
	WidthWindow  // their widths, 1 to 16
	ConstWindow  // K0 to K15
	BaseWindow   // B0 to B3: the address; bits 16 to 31 are the size of the sub-array
	TargetWindow // T0 to T3
	EntryWindow  // the addresses of the routines of the classes
	SampleWindow // words: see below
	CommandWindow
	OriginWindow // read only: the PCs of the events that wrote the slots of the associative array; see Machine.Get
	NumWindows   = iota
)

// Words in SampleWindow.
const (
	SelectFields   = iota // Fields; a store is valid only while the sample buffer is empty
	FilterClasses         // Filters.Classes
	FilterMask            // Filters.Mask; bits 32 to 39: Filters.MatchHash
	FilterMatch           // Filters.Match
	FilterHash            // Filters.BitHash
	ShiftRegister         // the state of the shift register, not 0
	DroppedEvents         // read only: Stats.Dropped
	FilteredEvents        // read only: Stats.Filtered
	KilledEvents          // read only: Stats.Killed
	AcceptedEvents        // read only: Stats.Accepted
	RefusedStores         // read only: Stats.BadStores
	KeyHash               // the number of the hash that makes a key of the PC of an event; 0: the key is the PC
	numSampleWords
)

// Words in CommandWindow. Software can only store to them, and the value has no effect.
const (
	InvalidateAll = iota // invalidates all slots of the associative array
	ClearData            // clears the data array
	ClearFilter          // makes the filter with a bit for each PC accept all
	numCommands
)

// windowNames has the names of the windows, and windowSize their sizes.
var windowNames = [NumWindows]string{"microcode", "data", "key", "valid", "filter", "value", "index", "width",
	"constant", "base", "target", "entry", "sample", "command", "origin"}

func (m *Machine) windowSize(window int) int {
	return [NumWindows]int{len(m.words), len(m.data), len(m.cam.keys), len(m.cam.keys), len(m.Filters.bits),
		8, NumIndexes, NumIndexes, 16, NumBases, 4, NumClasses, numSampleWords, numCommands, len(m.cam.keys)}[window]
}

// locate returns the window that a register is in, and the number of its word there.
func (m *Machine) locate(register int) (window, i int, err error) {
	window, i = register&^0xffff, register&0xffff
	if register < 0 || window>>16 >= NumWindows {
		return 0, 0, Error("register " + digits.Int(int64(register)) + ": the machine has " + digits.Uint(NumWindows) +
			" windows of 65536 registers")
	}
	if n := m.windowSize(window >> 16); i >= n {
		return 0, 0, Error(windowNames[window>>16] + " " + digits.Int(int64(i)) + ": the machine has " + digits.Int(int64(n)))
	}
	return window, i, nil
}

// Set stores a value to a register of the window. If the value is not valid, nothing
// changes, and the error states the reason.
func (m *Machine) Set(register int, value uint64) error {
	window, i, err := m.locate(register)
	if err == nil {
		err = m.set(window, i, value)
	}
	if err != nil {
		m.stats.BadStores++
	}
	return err
}

// SetIf does the same, but the store is refused too if check returns an error afterwards. The
// register then keeps its old value.
func (m *Machine) SetIf(register int, value uint64, check func(m *Machine) error) {
	old, err := m.Get(register)
	if m.Set(register, value) == nil && err == nil && check(m) != nil {
		m.Set(register, old)
		m.stats.BadStores++
	}
}

func (m *Machine) set(window, i int, value uint64) error {
	wrong := func(want string) error {
		return Error(windowNames[window>>16] + " " + digits.Int(int64(i)) + ": " + digits.Hex(value) + ": want " + want)
	}
	switch window {
	case MicrocodeWindow:
		in, err := Decode(value)
		if err != nil {
			return err
		}
		m.setCode(i, in)
	case DataWindow:
		m.data[i] = value
	case KeyWindow:
		if value&^m.cam.mask != 0 {
			return wrong("a key of at most " + digits.Int(int64(m.config.KeyBits)) + " bits")
		}
		m.cam.write(i, value)
	case ValidWindow:
		if value != 0 {
			return wrong("0: a store of the key makes a slot valid")
		}
		m.cam.invalidate(i)
	case FilterWindow:
		m.Filters.bits[i] = value
	case ValueWindow, ConstWindow:
		if value&^m.mask != 0 {
			return wrong("a value of at most " + digits.Int(int64(m.config.Width)) + " bits")
		}
		first := SourceV
		if window == ConstWindow {
			first = SourceK
		}
		m.reg[first+Source(i)] = value
	case IndexWindow:
		if value&^m.indexMask[i] != 0 {
			return wrong("an index of at most " + digits.Uint(uint64(m.indexWidth[i])) + " bits")
		}
		m.reg[SourceI+Source(i)] = value
	case WidthWindow:
		if value < 1 || value > 16 {
			return wrong("a width from 1 to 16")
		}
		m.setIndexWidth(i, uint8(value))
	case BaseWindow:
		return m.setBase(i, value, wrong)
	case TargetWindow, EntryWindow:
		if value >= uint64(len(m.words)) {
			return wrong("an address below " + digits.Int(int64(len(m.words))))
		}
		if window == TargetWindow {
			m.target[i] = uint16(value)
		} else {
			m.entry[i] = uint16(value)
		}
	case SampleWindow:
		return m.setSample(i, value, wrong)
	case CommandWindow:
		switch i {
		case InvalidateAll:
			m.cam.clear()
		case ClearData:
			clear(m.data)
		case ClearFilter:
			clear(m.Filters.bits)
		}
	case OriginWindow:
		return wrong("no store: the register can only be read")
	}
	return nil
}

// Fields returns which fields of events the sample buffer stores.
func (m *Machine) Fields() Fields { return m.fields }

// IndexWidth returns how many bits an index register has.
func (m *Machine) IndexWidth(i int) uint8 { return m.indexWidth[i] }

// Base returns the address in the data array at which a sub-array begins.
func (m *Machine) Base(i int) int { return int(m.base[i]) }

// BaseBits returns the binary logarithm of the size of a sub-array.
func (m *Machine) BaseBits(i int) uint8 { return m.baseSize[i] }

// SubArray returns the register of a word of a sub-array.
func (m *Machine) SubArray(base, i int) int {
	return DataWindow + (int(m.base[base])|i)&(len(m.data)-1)
}

// KeyMask returns the largest key of the associative array.
func (m *Machine) KeyMask() uint64 { return m.cam.mask }

// Origin returns what OriginWindow has for a slot; see Get.
func (m *Machine) Origin(slot int) uint64 { return m.cam.origin[slot] }

// Seed sets the shift register to a state other than 0.
func (m *Machine) Seed(state uint32) { m.lfsr = state }

// setBase sets a base register. A sub-array begins at a multiple of its size, so the
// machine needs no adder for an address: it is base or index.
func (m *Machine) setBase(i int, value uint64, wrong func(string) error) error {
	address, size := value&0xffff, value>>16
	switch {
	case size == 0 || size&(size-1) != 0:
		return wrong("a size that is a power of two")
	case address%size != 0:
		return wrong("an address that is a multiple of the size, " + digits.Uint(size))
	case address+size > uint64(len(m.data)):
		return wrong("a sub-array in the data array, which has " + digits.Int(int64(len(m.data))) + " words")
	}
	m.base[i], m.baseSize[i] = address, 0
	for ; size > 1; size >>= 1 {
		m.baseSize[i]++
	}
	return nil
}

func (m *Machine) setSample(i int, value uint64, wrong func(string) error) error {
	f := &m.Filters
	switch {
	case i > ShiftRegister && i < KeyHash:
		return wrong("no store: the register can only be read")
	case i == FilterMask && value>>32 >= uint64(len(f.hashes)), (i == FilterHash || i == KeyHash) &&
		value >= uint64(len(f.hashes)):
		return wrong("a hash function below " + digits.Int(int64(len(f.hashes))))
	case i != FilterMask && value>>32 != 0:
		return wrong("at most 32 bits")
	}
	switch i {
	case SelectFields:
		if value > selectAll {
			return wrong("fields of a sample")
		}
		if m.queue.n > 0 {
			return wrong("an empty sample buffer when fields are selected")
		}
		if Fields(value).Bytes() > len(m.queue.ring) {
			return wrong("samples that fit into the sample buffer of " + digits.Int(int64(len(m.queue.ring))) + " bytes")
		}
		m.setFields(Fields(value))
	case FilterClasses:
		f.Classes = uint32(value)
	case FilterMask:
		f.Mask, f.MatchHash = uint32(value), uint8(value>>32)
	case FilterMatch:
		f.Match = uint32(value)
	case FilterHash:
		f.BitHash = uint8(value)
	case ShiftRegister:
		if value == 0 {
			return wrong("a state other than 0, which the shift register never leaves")
		}
		m.lfsr = uint32(value)
	case KeyHash:
		m.keyHash = uint8(value)
	}
	return nil
}

// Get reads a register of the window.
//
// OriginWindow is no part of the hardware. The associative array has a key of few bits,
// and software knows which PC of the program has this key, from its table of the
// program's instructions. The model has no such table, and notes the PC instead.
func (m *Machine) Get(register int) (value uint64, err error) {
	window, i, err := m.locate(register)
	if err != nil {
		return 0, err
	}
	switch window {
	case MicrocodeWindow:
		value = m.words[i]
	case DataWindow:
		value = m.data[i]
	case KeyWindow:
		value = m.cam.keys[i]
	case ValidWindow:
		value = bit(m.cam.valid[i])
	case FilterWindow:
		value = m.Filters.bits[i]
	case ValueWindow:
		value = m.reg[SourceV+Source(i)]
	case IndexWindow:
		value = m.reg[SourceI+Source(i)]
	case WidthWindow:
		value = uint64(m.indexWidth[i])
	case ConstWindow:
		value = m.reg[SourceK+Source(i)]
	case BaseWindow:
		value = m.base[i] | 1<<m.baseSize[i]<<16
	case TargetWindow:
		value = uint64(m.target[i])
	case EntryWindow:
		value = uint64(m.entry[i])
	case SampleWindow:
		f := &m.Filters
		value = [numSampleWords]uint64{uint64(m.fields), uint64(f.Classes), uint64(f.Mask) | uint64(f.MatchHash)<<32,
			uint64(f.Match), uint64(f.BitHash),
			uint64(m.lfsr), m.stats.Dropped, m.stats.Filtered, m.stats.Killed, m.stats.Accepted, m.stats.BadStores,
			uint64(m.keyHash)}[i]
	case CommandWindow:
		return 0, Error("command " + digits.Int(int64(i)) + ": commands cannot be read")
	case OriginWindow:
		value = m.cam.origin[i]
	}
	return value, nil
}
