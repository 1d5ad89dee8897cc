package core

// This file declares how the program asks its companion (package write): see askFor in handler_entry_linux_amd64.s.

import "github.com/pepgo/pep/runtime/write"

var companion write.Companion // assembly reads its first fields

func ask(what uintptr) (answer uint32)
