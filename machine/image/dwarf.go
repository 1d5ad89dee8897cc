package image

// This file reads DWARF, which stripped executables do not have.

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// maxDWARF is how many bytes of DWARF are read, decompressed.
const maxDWARF = 1 << 30

// DWARF returns the debugging information. Without any the error wraps [ErrStripped]. Its
// method Type must not be called concurrently.
func (im *Image) DWARF() (*dwarf.Data, error) { return im.dwarf() }

func (im *Image) readDWARF() (*dwarf.Data, error) {
	var total uint64
	found := false
	for _, s := range im.elf.Sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			found = found || strings.HasSuffix(s.Name, "debug_info")
			total += min(s.Size, maxDWARF)
		}
	}
	if !found {
		return nil, fmt.Errorf("DWARF: %w", ErrStripped)
	}
	if total >= maxDWARF {
		return nil, fmt.Errorf("DWARF has more than %d bytes", maxDWARF)
	}
	d, err := im.elf.DWARF()
	if err != nil {
		return nil, fmt.Errorf("DWARF: %w", err)
	}
	return d, nil
}

// A unitCache has the compilation units that were looked at. To find the unit of an
// address, package dwarf reads the beginnings of all units.
type unitCache struct {
	sync.Mutex
	units    []*unit
	sections map[string][]byte // that location lists are in, as far as they were read
}

// A unit is a compilation unit: for Go a package.
type unit struct {
	ranges [][2]uint64
	funcs  map[uint64]dwarf.Offset // the entries of its functions by their addresses
	// What was read of its line table, nil before that.
	statements []statement
	entry      *dwarf.Entry
	// What location lists refer to.
	version5 bool   // of DWARF; otherwise an older one
	base     uint64 // address of the unit
	addrBase int64  // of its addresses in .debug_addr
}

func (u *unit) contains(pc uint64) bool {
	for _, r := range u.ranges {
		if r[0] <= pc && pc < r[1] {
			return true
		}
	}
	return false
}

// unitOf returns the compilation unit with the code at pc.
func (im *Image) unitOf(d *dwarf.Data, pc uint64) (*unit, error) {
	im.units.Lock()
	defer im.units.Unlock()
	for _, u := range im.units.units {
		if u.contains(pc) {
			return u, nil
		}
	}
	r := d.Reader()
	e, err := r.SeekPC(pc)
	if errors.Is(err, dwarf.ErrUnknownPC) {
		return nil, ErrNoEntry
	}
	if err != nil {
		return nil, fmt.Errorf("DWARF: %w", err)
	}
	u := &unit{entry: e}
	u.base, _ = e.Val(dwarf.AttrLowpc).(uint64)
	u.addrBase, u.version5 = e.Val(dwarf.AttrAddrBase).(int64) // units of Go refer to addresses by index since DWARF 5
	if u.ranges, err = d.Ranges(e); err != nil {
		return nil, fmt.Errorf("DWARF: %w", err)
	}
	if u.funcs, err = subprograms(r); err != nil {
		return nil, fmt.Errorf("DWARF: %w", err)
	}
	im.units.units = append(im.units.units, u)
	return u, nil
}

// ErrNoEntry means that DWARF does not describe a function: functions in assembly have
// no parameters there, and some that the compiler makes have no entry.
var ErrNoEntry = errors.New("DWARF does not describe the function")

// Subprogram returns the DWARF entry of the function that begins at an address.
func (im *Image) Subprogram(entry uint64) (*dwarf.Entry, error) {
	d, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	u, err := im.unitOf(d, entry)
	if err != nil {
		return nil, err
	}
	off, ok := u.funcs[entry]
	if !ok {
		return nil, ErrNoEntry
	}
	r := d.Reader()
	r.Seek(off)
	return r.Next()
}

// subprograms reads the children of the unit whose entry r has just read.
func subprograms(r *dwarf.Reader) (map[uint64]dwarf.Offset, error) {
	funcs := map[uint64]dwarf.Offset{}
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil || e.Tag == 0 {
			return funcs, nil
		}
		if pc, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && e.Tag == dwarf.TagSubprogram {
			funcs[pc] = e.Offset
		}
		r.SkipChildren()
	}
}

// structs returns the struct types with the given names, as far as there are any.
func (im *Image) structs(names ...string) (map[string]*dwarf.StructType, error) {
	d, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	found := map[string]*dwarf.StructType{}
	r := d.Reader()
	for len(found) < len(names) {
		e, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("DWARF: %w", err)
		}
		if e == nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit {
			if lang, _ := e.Val(dwarf.AttrLanguage).(int64); lang != langGo {
				r.SkipChildren()
			}
			continue
		}
		if e.Tag == dwarf.TagStructType {
			name, _ := e.Val(dwarf.AttrName).(string)
			for _, want := range names {
				if name == want && found[name] == nil {
					t, err := d.Type(e.Offset)
					if err != nil {
						return nil, fmt.Errorf("DWARF: type %s: %w", name, err)
					}
					if s, ok := t.(*dwarf.StructType); ok {
						found[name] = s
					}
				}
			}
		}
		r.SkipChildren()
	}
	return found, nil
}

const langGo = 0x16 // DW_LANG_Go
