package core

// This file finds out where goroutines keep the labels that runtime/pprof gives them.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// labelMarks are labels to look for. They are not on the heap: an object of the heap may begin
// where the goroutine's stack ends, and a g has that address, too.
var labelMarks [2]golink.Labels

// findLabels sets labelsAt. Handlers cannot call package runtime for the labels, and only that
// package knows the layout of a g. So findLabels gives this goroutine labels, looks for the
// word of its g that is their address now, and does the same with other labels.
func findLabels() {
	const most = 1024 // bytes of a g to look at
	g, before := golink.CurrentG(), golink.ProfLabels()
	golink.SetProfLabels(unsafe.Pointer(&labelMarks[0]))
	at := uintptr(0)
	for at < most && *(*unsafe.Pointer)(golink.At(g + at)) != unsafe.Pointer(&labelMarks[0]) {
		at += 8
	}
	golink.SetProfLabels(unsafe.Pointer(&labelMarks[1]))
	if at < most && *(*unsafe.Pointer)(golink.At(g + at)) == unsafe.Pointer(&labelMarks[1]) {
		labelsAt = at
	} else {
		print("pep: the labels of runtime/pprof are not where they are expected; samples have none\n")
	}
	golink.SetProfLabels(before)
}
