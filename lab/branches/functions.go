package branches

// This file reads functions in object files of the compiler; their format is described in cmd/internal/goobj.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A Function is one of an object file.
type Function struct {
	Code    string   // instructions, and what the linker writes into them
	Inlined []string // names of functions whose code it has
}

// Functions returns the functions of archives, which are given by import path, by package and by name with ABI.
func Functions(archives map[string]string) (all map[string]map[string]Function, err error) {
	reading := ""
	defer func() {
		if e := recover(); e != nil { // an index beyond the end
			err = fmt.Errorf("%s: %v", reading, e)
		}
	}()
	const magic = "\x00go120ld"
	objects := map[string]goobj{}
	for path, archive := range archives {
		code, err := object(archive)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(code, []byte(magic)) {
			return nil, fmt.Errorf("%s: the format of the object file is not %q", archive, magic)
		}
		objects[path] = code
	}
	all = map[string]map[string]Function{}
	for path, o := range objects {
		reading = archives[path]
		all[path] = o.functions(objects)
	}
	return all, nil
}

// Blocks of an object file, whose offsets are in its header.
const (
	blockPackages = 1
	// with the next four: symbols of the package, two sorts that are known by content, others, and those of other packages
	blockSymbols   = 3
	blockRelocs    = 11
	blockAux       = 12
	blockData      = 13
	blockReloc     = 14
	blockAuxes     = 15
	blockBytes     = 16
	symbolSize     = 21
	relocSize      = 23
	auxSize        = 9
	inlinedSize    = 24
	sortText       = 1 // and 2, for FIPS
	auxFuncInfo    = 1
	packageNone    = 1<<31 - 1
	packageBuiltin = packageNone - 3
	packageSelf    = packageNone - 4
)

type goobj []byte

func (o goobj) u32(at int) int { return int(binary.LittleEndian.Uint32(o[at:])) }

func (o goobj) block(i int) int { return o.u32(20 + 4*i) }

// number returns which symbol i of a block is among all of the file.
func (o goobj) number(block, i int) int { return (o.block(block)-o.block(blockSymbols))/symbolSize + i }

// text returns the string that is referred to at a place.
func (o goobj) text(at int) string {
	n, off := o.u32(at), o.u32(at+4)
	return string(o[off : off+n])
}

// symbol returns the name of a symbol, without its ABI.
func (o goobj) symbol(n int) string { return o.text(o.block(blockSymbols) + n*symbolSize) }

// list returns the elements of a block that symbol n has.
func (o goobj) list(index, block, size, n int) (elements []int) {
	at := o.block(index) + 4*n
	for i := o.u32(at); i < o.u32(at+4); i++ {
		elements = append(elements, o.block(block)+i*size)
	}
	return elements
}

// data returns where the content of a symbol begins and ends.
func (o goobj) data(n int) (begin, end int) {
	at := o.block(blockData) + 4*n
	return o.block(blockBytes) + o.u32(at), o.block(blockBytes) + o.u32(at+4)
}

// own returns which symbol of the file a reference is to, or -1.
func (o goobj) own(pkg, sym int) int {
	switch i := slices.Index([]int{packageSelf, packageNone - 1, packageNone - 2, packageNone}, pkg); {
	case i < 0:
		return -1
	default:
		return o.number(blockSymbols+i, sym)
	}
}

// functions returns the functions of o, which refers to symbols of the others.
func (o goobj) functions(others map[string]goobj) map[string]Function {
	name := func(at int) string {
		pkg, sym := o.u32(at), o.u32(at+4)
		if n := o.own(pkg, sym); n >= 0 {
			return o.symbol(n)
		}
		if pkg == packageBuiltin || pkg == 0 {
			return fmt.Sprint(pkg, " ", sym)
		}
		other := o.text(o.block(blockPackages) + 8*pkg)
		if others[other] == nil {
			return fmt.Sprint(other, " ", sym)
		}
		return others[other].symbol(sym)
	}
	funcs := map[string]Function{}
	for n := range o.number(blockSymbols+4, 0) {
		at := o.block(blockSymbols) + n*symbolSize
		if sort := o[at+10]; sort != sortText && sort != sortText+1 {
			continue
		}
		var f Function
		begin, end := o.data(n)
		text := bytes.Clone(o[begin:end])
		for _, r := range o.list(blockRelocs, blockReloc, relocSize, n) {
			text = fmt.Appendf(text, " %x %q", []byte(o[r:r+15]), name(r+15))
		}
		f.Code = string(text)
		for _, a := range o.list(blockAux, blockAuxes, auxSize, n) {
			if o[a] != auxFuncInfo {
				continue
			}
			info, _ := o.data(o.own(o.u32(a+1), o.u32(a+5)))
			tree := info + 20 + 4*o.u32(info+16) // behind the files
			for i := range o.u32(tree) {
				f.Inlined = append(f.Inlined, name(tree+4+i*inlinedSize+12))
			}
		}
		funcs[fmt.Sprintf("%s<%d>", o.text(at), binary.LittleEndian.Uint16(o[at+8:]))] = f
	}
	return funcs
}
