package mapped

import (
	"encoding/binary"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Goroutines says where a process keeps what is known of its goroutines. The zero value is that
// of processes that are no Go programs.
type Goroutines struct {
	TLS     int64  // address of the pointer to the current g, less the base of FS
	Goid    uint32 // offset of the number in g
	Labels  uint32 // offset of the labels in g; 0 before Go 1.24, which has them in a map
	M, Curg uint32 // offsets of m in g, and of the goroutine that it works for in m
}

// Read reads the number and the labels of the goroutine that a stopped thread executes. Base is the
// base of FS; read fills a slice from an address, and returns false if it cannot. On the
// thread's own stack, g has no number, and it is the goroutine that the thread works for.
// The program in the kernel does the same (labels.h of package bpf).
func (p *Goroutines) Read(base uint64, read func(addr uint64, to []byte) bool) (id uint64, labels capture.Labels) {
	word := func(addr uint64) (v uint64) {
		var b [8]byte
		if read(addr, b[:]) {
			v = binary.LittleEndian.Uint64(b[:])
		}
		return v
	}
	if p.Goid == 0 {
		return 0, ""
	}
	g := word(base + uint64(p.TLS))
	if g == 0 {
		return 0, ""
	}
	if id = word(g + uint64(p.Goid)); id == 0 {
		m := word(g + uint64(p.M))
		if m == 0 {
			return 0, ""
		}
		if g = word(m + uint64(p.Curg)); g == 0 {
			return 0, ""
		}
		id = word(g + uint64(p.Goid))
	}
	if p.Labels == 0 {
		return id, ""
	}
	list := word(g + uint64(p.Labels)) // to a slice of pairs of strings
	if list == 0 {
		return id, ""
	}
	text := func(addr uint64) string { // of the string whose header is at addr
		n := word(addr + 8)
		b := make([]byte, min(n, capture.MaxLabelBytes))
		if !read(word(addr), b) {
			return capture.Cut
		}
		return capture.CutString(string(b), n)
	}
	at, n := word(list), word(list+8)
	var found []capture.Label
	for i := range min(n, capture.MaxLabels) {
		found = append(found, capture.Label{Key: text(at + 32*i), Value: text(at + 32*i + 16)})
	}
	return id, capture.CutLabels(found, n)
}

// FindGoroutines reads the executable of a process.
func FindGoroutines(pid uint32) (p Goroutines) {
	im, err := image.OpenProcess(int(pid))
	if err != nil {
		return p
	}
	defer im.Close()
	g, err := im.Goroutine()
	if err != nil {
		return p
	}
	p = Goroutines{TLS: im.TLS(), Goid: uint32(g.Goid), M: uint32(g.M), Curg: uint32(g.Curg)}
	if g.LabelList {
		p.Labels = uint32(g.Labels)
	}
	return p
}
