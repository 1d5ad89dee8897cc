package image

// This file reads the names of types from their descriptors, which the linker keeps in stripped
// executables, too. The layout of descriptors is that of internal/abi since Go 1.20; what changed since
// is in release.go.

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Type is the dynamic type of an interface value.
type Type struct {
	Name string // as the linker writes it, with the paths of packages: "map[string]*text/template.Template"
	Addr uint64 // of the descriptor; two types can have one name, such as those of two functions
}

// Dynamic returns the type that the first word of an interface value stands for, if it is the
// address of a descriptor (for any), or of an itab (for interfaces with methods). The word is an
// address of the executable, see [Image.FromProcess]. Descriptors and itabs that the program has
// made itself are read from the memory of the process, as long as it runs.
func (im *Image) Dynamic(word uint64) (Type, bool) {
	if word == 0 || word%8 != 0 || im.module.types == 0 || !im.Mapped(word) && im.Process == nil {
		return Type{}, false
	}
	im.types.Lock()
	defer im.types.Unlock()
	t, known := im.types.of[word]
	if !known {
		t = im.dynamic(word)
		if len(im.types.of) == maxTypes || im.types.of == nil {
			im.types.of = map[uint64]Type{}
		}
		im.types.of[word] = t
	}
	return t, t.Name != ""
}

// typeSymbol names a type descriptor or an itab of the executable as the linker does, or returns "":
// type:int, go:itab.*os.File,io.Writer. Symbol tables have no descriptors, and since Go 1.27 no itabs.
func (im *Image) typeSymbol(addr uint64) string {
	if addr < im.module.types || addr >= im.module.etypes {
		return ""
	}
	t, ok := im.Dynamic(addr)
	if !ok {
		return ""
	}
	if t.Addr == addr {
		return "type:" + t.Name
	}
	words, err := im.words(addr, 1)
	if err != nil {
		return ""
	}
	i, _ := im.Dynamic(words[0])
	return "go:itab." + t.Name + "," + i.Name
}

// maxTypes is how many words Dynamic remembers.
const maxTypes = 1 << 16

// dynamic returns a type without a name if the word is none.
func (im *Image) dynamic(word uint64) Type {
	r := typeReader{im: im, left: maxParts}
	d, ok := r.descriptor(word)
	if !ok {
		if d, ok = r.itab(word); !ok {
			return Type{}
		}
	}
	name, ok := r.name(d)
	if !ok {
		return Type{}
	}
	return Type{name, d.addr}
}

// Sizes of what internal/abi has. Behind the fields that all descriptors have are those of
// the kind, and then an UncommonType.
const (
	typeSize     = 48 // abi.Type
	uncommonSize = 16 // abi.UncommonType
	pointerSize  = typeSize + 8
	funcSize     = typeSize + 8
	chanSize     = typeSize + 16
	arraySize    = typeSize + 24
	structSize   = typeSize + 32

	fieldSize  = 24 // abi.StructField
	methodSize = 8  // abi.Imethod
)

// Kinds of abi.Kind.
const (
	kindBool       = 1
	kindComplex128 = 16
	kindArray      = 17
	kindChan       = 18
	kindFunc       = 19
	kindInterface  = 20
	kindMap        = 21
	kindPointer    = 22
	kindSlice      = 23
	kindString     = 24
	kindStruct     = 25
	kindUnsafe     = 26
	kindMask       = 1<<5 - 1
)

// sizes are those of all types of a kind.
var sizes = map[byte]uint64{
	1: 1, 2: 8, 3: 1, 4: 2, 5: 4, 6: 8, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8, 12: 8, 13: 4, 14: 8, 15: 8, 16: 16,
	kindChan: 8, kindFunc: 8, kindInterface: 16, kindMap: 8, kindPointer: 8, kindSlice: 24, kindString: 16, kindUnsafe: 8,
}

// Bits of abi.TFlag, and of the first byte of an abi.Name.
const (
	flagUncommon  = 1 << 0
	flagExtraStar = 1 << 1
	flagNamed     = 1 << 2
	flagsKnown    = 1<<6 - 1

	nameExported = 1 << 0
	nameTag      = 1 << 1
	namePackage  = 1 << 2
	nameEmbedded = 1 << 3
)

// Bounds for damaged executables: maxParts of the types that one type is made of, each with
// partName bytes of names, and maxName of the bytes of one name.
const (
	maxParts = 4000
	partName = 64
	maxName  = 1 << 16
)

// A descriptor is the part that all descriptors have.
type descriptor struct {
	addr  uint64
	hash  uint32
	flags byte
	kind  byte
	str   int32
}

// A typeReader reads descriptors. Its methods return false for what cannot be one.
type typeReader struct {
	im   *Image
	left int // parts that may still be read
}

// bytes reads n bytes: those of the file, or of the process where the file has none.
func (r *typeReader) bytes(addr uint64, n int) ([]byte, bool) {
	b := make([]byte, n)
	if r.im.Mapped(addr) {
		return b, r.im.ReadAddr(b, addr) == nil
	}
	return b, r.im.readMemory(b, addr)
}

// readMemory reads from the memory of the process, if it still runs.
func (im *Image) readMemory(b []byte, addr uint64) bool {
	if im.Process == nil {
		return false
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", im.Process.PID))
	if err != nil {
		return false
	}
	defer f.Close()
	addr = im.ToProcess(addr)
	if int64(addr) < 0 {
		return false
	}
	_, err = f.ReadAt(b, int64(addr))
	return err == nil && im.Process.Alive()
}

// pointer reads the address at addr.
func (r *typeReader) pointer(addr uint64) (uint64, bool) {
	if r.im.Mapped(addr) {
		words, err := r.im.words(addr, 1)
		if err != nil {
			return 0, false
		}
		return words[0], true
	}
	b, ok := r.bytes(addr, 8)
	if p := binary.LittleEndian.Uint64(b); ok && p != 0 {
		return r.im.FromProcess(p), true
	}
	return 0, ok
}

// number reads a word that is no address.
func (r *typeReader) number(addr uint64) (uint64, bool) {
	b, ok := r.bytes(addr, 8)
	return binary.LittleEndian.Uint64(b), ok
}

// descriptor reads a descriptor. Data that is none has a kind, sizes and flags that do not belong
// together.
func (r *typeReader) descriptor(addr uint64) (d descriptor, ok bool) {
	m := &r.im.module
	if addr%8 != 0 || r.im.Mapped(addr) && (addr < m.types || addr >= m.etypes) {
		return d, false
	}
	b, ok := r.bytes(addr, typeSize)
	if !ok {
		return d, false
	}
	size, pointers := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	align := b[21]
	d = descriptor{addr, binary.LittleEndian.Uint32(b[16:]), b[20], b[23] & kindMask,
		int32(binary.LittleEndian.Uint32(b[40:]))}
	want, fixed := sizes[d.kind]
	switch {
	case d.kind < kindBool || d.kind > kindUnsafe || d.flags&^flagsKnown != 0 || d.hash == 0:
		return d, false
	case align != 1 && align != 2 && align != 4 && align != 8 || b[22] != align:
		return d, false
	case fixed && size != want || size%uint64(align) != 0 || pointers > size || pointers%8 != 0:
		return d, false
	}
	return d, true
}

// itab reads the concrete type of an itab.
func (r *typeReader) itab(addr uint64) (d descriptor, ok bool) {
	inter, ok1 := r.pointer(addr)
	concrete, ok2 := r.pointer(addr + 8)
	b, ok3 := r.bytes(addr+16, 4)
	if !ok1 || !ok2 || !ok3 {
		return d, false
	}
	i, ok1 := r.descriptor(inter)
	d, ok2 = r.descriptor(concrete)
	hash := binary.LittleEndian.Uint32(b)
	isHash := hash == d.hash || hash == 0 && !r.im.Mapped(addr) // runtime sets no hash
	return d, ok1 && ok2 && i.kind == kindInterface && isHash
}

// at returns the name of the type whose descriptor is at the address at addr.
func (r *typeReader) at(addr uint64) (string, bool) {
	p, ok := r.pointer(addr)
	if !ok {
		return "", false
	}
	return r.of(p)
}

// of returns the name of the type whose descriptor is at an address.
func (r *typeReader) of(addr uint64) (string, bool) {
	d, ok := r.descriptor(addr)
	if !ok {
		return "", false
	}
	return r.name(d)
}

func (r *typeReader) name(d descriptor) (string, bool) {
	if r.left--; r.left < 0 {
		return "", false
	}
	switch {
	case d.flags&flagNamed != 0:
		return r.named(d)
	case d.kind <= kindComplex128 || d.kind == kindString || d.kind == kindUnsafe:
		return r.string(d)
	case d.kind == kindPointer:
		return r.prefixed("*", d)
	case d.kind == kindSlice:
		return r.prefixed("[]", d)
	case d.kind == kindArray:
		n, ok := r.number(d.addr + typeSize + 16)
		if !ok {
			return "", false
		}
		return r.prefixed(fmt.Sprintf("[%d]", n), d)
	case d.kind == kindChan:
		return r.channel(d)
	case d.kind == kindMap:
		key, ok1 := r.at(d.addr + typeSize)
		elem, ok2 := r.at(d.addr + typeSize + 8)
		return "map[" + key + "]" + elem, ok1 && ok2
	case d.kind == kindFunc:
		signature, ok := r.signature(d)
		return "func" + signature, ok
	case d.kind == kindStruct:
		return r.structure(d)
	}
	return r.interfaceName(d)
}

// prefixed returns the name of a type with one element.
func (r *typeReader) prefixed(prefix string, d descriptor) (string, bool) {
	elem, ok := r.at(d.addr + typeSize)
	return prefix + elem, ok
}

func (r *typeReader) channel(d descriptor) (string, bool) {
	direction, ok := r.number(d.addr + typeSize + 8)
	if !ok {
		return "", false
	}
	const receive, send = 1, 2
	switch direction {
	case receive:
		return r.prefixed("<-chan ", d)
	case send:
		return r.prefixed("chan<- ", d)
	}
	elem, ok := r.at(d.addr + typeSize)
	if strings.HasPrefix(elem, "<-") {
		elem = "(" + elem + ")"
	}
	return "chan " + elem, ok
}

// signature returns what is behind func.
func (r *typeReader) signature(d descriptor) (string, bool) {
	b, ok := r.bytes(d.addr+typeSize, 4)
	if !ok {
		return "", false
	}
	in, out := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
	const variadic = 1 << 15
	last := -1
	if out&variadic != 0 {
		last, out = in-1, out&^variadic
	}
	at := d.addr + funcSize
	if d.flags&flagUncommon != 0 {
		at += uncommonSize
	}
	var params, results []string
	for i := range in + out {
		name, ok := r.at(at + 8*uint64(i))
		if !ok {
			return "", false
		}
		if i == last {
			name = "..." + strings.TrimPrefix(name, "[]")
		}
		if i < in {
			params = append(params, name)
		} else {
			results = append(results, name)
		}
	}
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
	case 1:
		text += " " + results[0]
	default:
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text, true
}

func (r *typeReader) structure(d descriptor) (string, bool) {
	pkg, ok1 := r.pointer(d.addr + typeSize)
	fields, ok2 := r.pointer(d.addr + typeSize + 8)
	n, ok3 := r.number(d.addr + typeSize + 16)
	if !ok1 || !ok2 || !ok3 || n > uint64(r.left) {
		return "", false
	}
	var list []string
	for i := range n {
		at, ok1 := r.pointer(fields + fieldSize*i)
		typ, ok2 := r.at(fields + fieldSize*i + 8)
		f, ok3 := r.text(at)
		if !ok1 || !ok2 || !ok3 {
			return "", false
		}
		text := typ
		if f.flags&nameEmbedded == 0 {
			name, ok := r.qualified(f, pkg)
			if !ok {
				return "", false
			}
			text = name + " " + typ
		}
		if f.tag != "" {
			text += " " + strconv.Quote(f.tag)
		}
		list = append(list, text)
	}
	return braces("struct", list), true
}

func (r *typeReader) interfaceName(d descriptor) (string, bool) {
	pkg, ok1 := r.pointer(d.addr + typeSize)
	methods, ok2 := r.pointer(d.addr + typeSize + 8)
	n, ok3 := r.number(d.addr + typeSize + 16)
	if !ok1 || !ok2 || !ok3 || n > uint64(r.left) {
		return "", false
	}
	var list []string
	for i := range n {
		b, ok := r.bytes(methods+methodSize*i, methodSize)
		if !ok {
			return "", false
		}
		m, ok1 := r.text(r.offset(b))
		f, ok2 := r.descriptor(r.offset(b[4:]))
		if !ok1 || !ok2 || f.kind != kindFunc {
			return "", false
		}
		name, ok1 := r.qualified(m, pkg)
		signature, ok2 := r.signature(f)
		if !ok1 || !ok2 {
			return "", false
		}
		list = append(list, name+signature)
	}
	return braces("interface", list), true
}

func braces(word string, list []string) string {
	if len(list) == 0 {
		return word + " {}"
	}
	return word + " { " + strings.Join(list, "; ") + " }"
}

// qualified returns the name of a field or method. One that is not exported is of the package that its
// name says, or else of that whose path is at pkg.
func (r *typeReader) qualified(n text, pkg uint64) (string, bool) {
	if n.flags&nameExported != 0 {
		return n.name, true
	}
	if n.pkg != 0 {
		pkg = n.pkg
	}
	if pkg == 0 {
		return n.name, true
	}
	p, ok := r.text(pkg)
	if p.name == "" {
		return n.name, ok
	}
	return escape(p.name) + "." + n.name, ok
}

// named returns the name of a type that has one. The descriptor has it with the name of
// the package, "template.Template", and the path of the package elsewhere.
func (r *typeReader) named(d descriptor) (string, bool) {
	name, ok := r.string(d)
	pkg, _, generic := strings.Cut(name, "[")
	if !generic {
		pkg = name
	}
	dot := strings.IndexByte(pkg, '.')
	if !ok || dot < 0 || d.flags&flagUncommon == 0 {
		return name, ok
	}
	if path, ok := r.packagePath(d.addr + r.uncommonAt(d)); ok {
		name = escape(path) + name[dot:]
	}
	return name, true
}

// escape writes the path of a package as the linker does in names of symbols, where a dot ends it:
// gopkg.in/yaml%2ev3.
func escape(path string) string {
	var b strings.Builder
	last := strings.LastIndexByte(path, '/')
	for i := range len(path) {
		if c := path[i]; c == '.' && i > last || c <= ' ' || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
			continue
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// uncommonAt returns where in a descriptor the UncommonType is.
func (r *typeReader) uncommonAt(d descriptor) uint64 {
	switch d.kind {
	case kindArray:
		return arraySize
	case kindChan:
		return chanSize
	case kindFunc:
		return funcSize
	case kindInterface, kindStruct:
		return structSize
	case kindMap:
		// With buckets, the word that has the size of the groups of slots is part of other fields.
		group, _ := r.pointer(d.addr + typeSize + 16)
		size, ok1 := r.number(group)
		word, ok2 := r.number(d.addr + typeSize + 32)
		if ok1 && ok2 && size == word {
			return r.im.module.mapType
		}
		return buckets
	case kindPointer, kindSlice:
		return pointerSize
	}
	return typeSize
}

// packagePath reads the path in an UncommonType.
func (r *typeReader) packagePath(addr uint64) (string, bool) {
	b, ok := r.bytes(addr, uncommonSize)
	if !ok {
		return "", false
	}
	methods, exported, unused := binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:]),
		binary.LittleEndian.Uint32(b[12:])
	path, ok := r.text(r.offset(b))
	return path.name, ok && path.name != "" && exported <= methods && unused == 0
}

// string returns the name that a descriptor has.
func (r *typeReader) string(d descriptor) (string, bool) {
	if d.str <= 0 { // package reflect has made the type, and keeps its name in a map
		return "", false
	}
	n, ok := r.text(r.im.module.types + uint64(d.str))
	if d.flags&flagExtraStar != 0 {
		n.name, ok = strings.CutPrefix(n.name, "*")
	}
	return n.name, ok && n.name != ""
}

// offset returns the address that an offset stands for, abi.NameOff or abi.TypeOff; 0 if it
// stands for none.
func (r *typeReader) offset(b []byte) uint64 {
	if off := int32(binary.LittleEndian.Uint32(b)); off > 0 {
		return r.im.module.types + uint64(off)
	}
	return 0
}

// A text is an abi.Name.
type text struct {
	flags     byte
	name, tag string
	pkg       uint64 // address of the path of its package, 0 if it does not say one
}

func (r *typeReader) text(addr uint64) (t text, ok bool) {
	b, ok := r.bytes(addr, 1)
	if addr == 0 || !ok {
		return t, false
	}
	t.flags = b[0]
	var next uint64
	if t.name, next, ok = r.counted(addr + 1); ok && t.flags&nameTag != 0 {
		t.tag, next, ok = r.counted(next)
	}
	if ok && t.flags&namePackage != 0 {
		b, ok = r.bytes(next, 4)
		t.pkg = r.offset(b)
	}
	return t, ok
}

// counted reads a string behind its length, and returns the address behind it.
func (r *typeReader) counted(addr uint64) (s string, next uint64, ok bool) {
	n := 0
	for shift := 0; ; shift += 7 {
		b, ok := r.bytes(addr, 1)
		if !ok || shift > 21 {
			return "", 0, false
		}
		addr++
		n |= int(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			break
		}
	}
	if n > maxName {
		return "", 0, false
	}
	r.left -= n / partName
	b, ok := r.bytes(addr, n)
	return string(b), addr + uint64(n), ok && utf8.Valid(b)
}
