package core

// This file holds what spawn (handler_entry_linux_amd64.s) needs to run the writer. It
// is prepared when the program starts (start_writer_linux_amd64.go), because a handler
// cannot make any of it.

import "github.com/pepgo/pep/runtime/sys"

// writer is what assembly needs to run the writer: the path, argv and envp for
// execve, what to say if it does not come to its end, and where it says that it
// did. Its memory is kept by writerMemory.
var (
	writer       [6]uintptr
	writerMemory struct {
		path       *byte
		argv, envp []*byte
		message    []byte
	}
)

// What spawn compares before it runs the writer: the program's file, and whether
// the process is confined.
var (
	exeThen, exeNow sys.Info
	exeIsOurs       bool
	seccompThen     uintptr
)
