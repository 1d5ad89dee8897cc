package core

// This file holds what spawn (handler_entry_linux_amd64.s) needs to run the writer. It
// is prepared when the program starts (start_writer_linux_amd64.go), because a handler
// cannot make any of it.

import "github.com/pepgo/pep/runtime/sys"

// writer holds addresses for assembly: path, argv and envp for execve, the message if
// the writer does not come to its end, with its length, and the word in which the
// writer notes how far it has come. writerMemory keeps the memory.
var (
	writer       [6]uintptr
	writerMemory struct {
		path       *byte
		argv, envp []*byte
		message    []byte
	}
)

// Spawn compares these before it runs the writer: the program's file, and whether the
// process is confined by seccomp.
var (
	exeThen, exeNow sys.Info
	exeIsOurs       bool
	seccompThen     uintptr
)
