package golink

// This file declares the functions of text_linux_amd64.s.

func RaisePC() (p uintptr)

// CurrentG returns the address of the current goroutine's g.
func CurrentG() (p uintptr)

func TextStart() (p uintptr)

func TextEnd() (p uintptr)

func TypesStart() (p uintptr)

func TypesEnd() (p uintptr)
