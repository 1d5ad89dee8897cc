package image

// This file finds the variables that are in scope at an instruction.

import (
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"
)

// A Variable is a variable or a parameter of a function.
type Variable struct {
	Name  string // "&x" is the address of a variable x on the heap; "~r0" is a result without a name
	Type  dwarf.Type
	Line  int  // of its declaration, 0 if unknown
	Param bool // it is a parameter or a result

	im    *Image
	unit  *unit
	entry *dwarf.Entry
}

// At returns where the variable is before the instruction at pc. If whole is true, all of it
// is at the one location. Otherwise the locations are those of its parts, in their order:
// words of a string, fields of a struct. Parts that the function does not use are missing,
// and DWARF does not say which, so the locations are of use only if there are as many as
// parts. The error may wrap [ErrNowhere] or [ErrExpression].
func (v *Variable) At(pc uint64) (list []Location, whole bool, err error) {
	return v.im.locationOf(v.unit, v.entry, pc)
}

// Variables returns the variables of the blocks around the instruction at pc, those of
// outer blocks first. If the instruction is from an inlined function, the variables are
// those of that function. An inner variable hides an outer one of the same name. The error
// wraps [ErrStripped] or [ErrNoEntry] if the executable does not describe the function. It
// must not be called concurrently for an image.
func (im *Image) Variables(fn Function, pc uint64) ([]Variable, error) {
	d, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	e, err := im.Subprogram(fn.Entry)
	if err != nil {
		return nil, err
	}
	u, err := im.unitOf(d, fn.Entry)
	if err != nil {
		return nil, err
	}
	w := scope{im: im, d: d, unit: u, pc: pc}
	r := d.Reader()
	r.Seek(e.Offset)
	if e, err = r.Next(); err == nil && e != nil && e.Children {
		err = w.block(r, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("DWARF: variables of %s: %w", fn.Name, err)
	}
	return visible(w.list, keptAt), nil
}

// visible returns the variables of a list that the source can name: no parts of others, and the last one of each name.
// Where deferred functions may change results, DWARF has them twice: as a result without a location, and as a variable.
func visible(list []Variable, keptAt func(whole *Variable, place []byte) bool) []Variable {
	rest := slices.DeleteFunc(slices.Clone(list), func(v Variable) bool { return isPart(&v, list, keptAt) })
	var last []Variable
	for i, v := range rest {
		if !slices.ContainsFunc(rest[i+1:], func(later Variable) bool { return later.Name == v.Name }) {
			last = append(last, v)
		}
	}
	return last
}

// isPart reports whether a variable is a part of another one of the list, which the compiler has made: list.len of
// a slice, px of a struct p with a field x. Go 1.27 writes where on the stack such a part is kept, but not when
// it is there. What DWARF has of the whole variable says this. The source can have a variable px, too, but not where
// a part of p is kept; names with points it cannot have.
func isPart(v *Variable, list []Variable, keptAt func(whole *Variable, place []byte) bool) bool {
	place, _ := v.entry.Val(dwarf.AttrLocation).([]byte)
	if len(place) == 0 || v.Param {
		return false
	}
	return slices.ContainsFunc(list, func(whole Variable) bool {
		rest, ok := strings.CutPrefix(v.Name, whole.Name)
		at := whole.entry.AttrField(dwarf.AttrLocation)
		return ok && v.Line == whole.Line && at != nil && at.Class == dwarf.ClassLocListPtr && names(whole.Type, rest) &&
			(strings.ContainsAny(rest, ".[") || keptAt(&whole, place))
	})
}

// names reports whether a text names a part of a type as the compiler does.
func names(t dwarf.Type, text string) bool {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "[0]") {
		return true
	}
	s, ok := underlying(t).(*dwarf.StructType)
	return ok && slices.ContainsFunc(s.Field, func(f *dwarf.StructField) bool {
		rest, ok := strings.CutPrefix(text, f.Name)
		return ok && f.Name != "" && (rest == "" || names(f.Type, rest))
	})
}

// keptAt reports whether a variable with a list of locations is in part at a place of the stack at some instruction.
func keptAt(v *Variable, place []byte) (kept bool) {
	list, err := locations(place)
	if err != nil || len(list) != 1 || list[0].InReg {
		return false
	}
	entries := v.im.list4
	if v.unit.version5 {
		entries = v.im.list5
	}
	off, _ := v.entry.Val(dwarf.AttrLocation).(int64)
	err = entries(v.unit, off, func(_, _ uint64, expr []byte) error {
		parts, _ := locations(expr)
		kept = kept || slices.ContainsFunc(parts,
			func(l Location) bool { return !l.Absent && !l.InReg && l.Stack == list[0].Stack })
		return nil
	})
	return kept && err == nil
}

// A scope collects variables.
type scope struct {
	im   *Image
	d    *dwarf.Data
	unit *unit
	pc   uint64
	list []Variable
}

// maxBlocks is how deep blocks may be nested: damaged DWARF may have any depth.
const maxBlocks = 1000

// block reads the children of the entry that r has just read, to their end.
func (w *scope) block(r *dwarf.Reader, depth int) error {
	if depth > maxBlocks {
		return fmt.Errorf("blocks are nested more than %d deep", maxBlocks)
	}
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil || e.Tag == 0 {
			return nil
		}
		switch e.Tag {
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if err := w.variable(e); err != nil {
				return err
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			inside, err := w.inside(e)
			if err != nil {
				return err
			}
			if inside && e.Children {
				if e.Tag == dwarf.TagInlinedSubroutine {
					w.list = nil // from here on the variables of the inlined function
				}
				if err := w.block(r, depth+1); err != nil {
					return err
				}
				continue
			}
		}
		r.SkipChildren()
	}
}

// inside reports whether the code of an entry contains the instruction.
func (w *scope) inside(e *dwarf.Entry) (bool, error) {
	ranges, err := w.d.Ranges(e)
	if err != nil {
		return false, err
	}
	for _, r := range ranges {
		if r[0] <= w.pc && w.pc < r[1] {
			return true, nil
		}
	}
	return false, nil
}

// variable adds a variable. Those of inlined functions have name and type in the entry of
// the function itself, their origin.
func (w *scope) variable(e *dwarf.Entry) error {
	origin := e
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := w.d.Reader()
		r.Seek(off)
		o, err := r.Next()
		if err != nil {
			return err
		}
		if o != nil {
			origin = o
		}
	}
	v := Variable{Param: e.Tag == dwarf.TagFormalParameter, im: w.im, unit: w.unit, entry: e}
	v.Name, _ = origin.Val(dwarf.AttrName).(string)
	if line, ok := origin.Val(dwarf.AttrDeclLine).(int64); ok {
		v.Line = int(line)
	}
	off, ok := origin.Val(dwarf.AttrType).(dwarf.Offset)
	if v.Name == "" || !ok {
		return nil
	}
	var err error
	if v.Type, err = w.d.Type(off); err != nil {
		return err
	}
	w.list = append(w.list, v)
	return nil
}
