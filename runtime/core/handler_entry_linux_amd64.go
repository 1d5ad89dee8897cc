package core

// This file declares the assembly functions of handler_entry_linux_amd64.s and
// handler_tick_linux_amd64.s. Functions whose names end in PC return the address of
// another one, which Go code cannot name.

func tickEntry()

func busEntry()

func tickThread()

func exitEntry()

func faultEntry()

func killEntry()

func tickEntryPC() (p uintptr)

func busEntryPC() (p uintptr)

func tickThreadPC() (p uintptr)

func exitEntryPC() (p uintptr)

func faultEntryPC() (p uintptr)

func killEntryPC() (p uintptr)

// segmentOf returns the base of segment FS of this thread, whose g is at that address.
func segmentOf(thread uintptr) (base uintptr)
