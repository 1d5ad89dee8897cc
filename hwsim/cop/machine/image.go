package machine

// This file holds images: programs in the form in which the assembler hands them to a
// machine.

import "github.com/pepgo/pep/format/digits"

// An Image is an assembled program: the stores by which software loads the program.
type Image struct {
	Host   string // the name of the host that handles the results, "" for none
	Stores []Store
}

// A Store is a store to a register of the window.
type Store struct {
	Register int
	Value    uint64
}

const imageMagic = "pep cop 1"

// Text returns the image as text. The first line has the name of the host. Then each
// store has a line with its register and value, both hexadecimal.
//
//	pep cop 1 samples
//	0xc0000 0x3
func (p *Image) Text() string {
	s := imageMagic
	if p.Host != "" {
		s += " " + p.Host
	}
	s += "\n"
	for _, x := range p.Stores {
		s += digits.Hex(uint64(x.Register)) + " " + digits.Hex(x.Value) + "\n"
	}
	return s
}

// ParseImage parses the output of Text. Errors state the number of the line.
func ParseImage(text string) (*Image, error) {
	p := &Image{}
	for number := uint64(1); text != ""; number++ {
		var line string
		line, text = cut(text, '\n')
		if number == 1 {
			if line != imageMagic && !hasPrefix(line, imageMagic+" ") {
				return nil, Error("line 1: want " + imageMagic + ": assemble the source of the program first")
			}
			_, p.Host = cut(line[len("pep cop "):], ' ')
			continue
		}
		first, second := cut(line, ' ')
		register, ok1 := parseHex(first)
		value, ok2 := parseHex(second)
		if !ok1 || !ok2 || register >= NumWindows<<16 {
			return nil, Error("line " + digits.Uint(number) + ": want a register below " + digits.Hex(NumWindows<<16) +
				" and a value, as 0x1f")
		}
		p.Stores = append(p.Stores, Store{int(register), value})
	}
	if p.Stores == nil {
		return nil, Error("an image without stores")
	}
	return p, nil
}

func cut(s string, sep byte) (before, after string) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

func parseHex(s string) (n uint64, ok bool) {
	if !hasPrefix(s, "0x") || len(s) < 3 || len(s) > 18 {
		return 0, false
	}
	for i := 2; i < len(s); i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, true
}

// Load makes the stores of an image. If the machine refuses a store, the error names
// it; Load has then made the stores before it.
func (m *Machine) Load(p *Image) error {
	for _, s := range p.Stores {
		if err := m.Set(s.Register, s.Value); err != nil {
			return err
		}
	}
	return nil
}
