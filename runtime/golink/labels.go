package golink

// This file holds the labels of goroutines, which package runtime/pprof sets.

import "unsafe"

// Labels are the labels of a goroutine as runtime/pprof keeps them: its type labelMap,
// which is a slice. They do not change once a goroutine has them: pprof.Do makes new ones.
type Labels struct {
	list   *Label
	n, cap int
}

// A Label is a key and a value: Label of internal/runtime/pprof/label.
type Label struct{ Key, Value string }

// Len returns how many labels there are, and false if l cannot be labels. (Some packages set
// the pointer for purposes of their own, by linkname.)
func (l *Labels) Len() (n int, ok bool) {
	const most = 64
	return l.n, l.n >= 0 && l.n <= most && l.n <= l.cap && (l.n == 0 || uintptr(unsafe.Pointer(l.list)) >= 4096)
}

// At returns a label.
func (l *Labels) At(i int) *Label {
	return (*Label)(unsafe.Add(unsafe.Pointer(l.list), uintptr(i)*unsafe.Sizeof(Label{})))
}

// ProfLabels returns the labels of the current goroutine, nil for none; the runtime provides it
// for package runtime/pprof.
//
//go:linkname ProfLabels runtime/pprof.runtime_getProfLabel
func ProfLabels() unsafe.Pointer

// SetProfLabels sets them.
//
//go:linkname SetProfLabels runtime/pprof.runtime_setProfLabel
func SetProfLabels(labels unsafe.Pointer)
