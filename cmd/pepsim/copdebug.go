package main

// This file holds the commands that run a program of the co-processor cycle by cycle.

import (
	"errors"

	"github.com/pepgo/pep/hwsim/cop/debug"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/command"
)

const (
	machineFlag = `	-machine PARAMS
	               parameters of the engine cop, such as slots=512,clock=0.5
`
	copTraceUsage = `pepsim cop trace [flags] PROGRAM TRACE

Runs a program over a trace and prints each cycle of the co-processor: the
microinstruction, registers and arrays that it changed, whether its branch was
taken and predicted, cycles without an instruction and why, events, and what the
host reads; then a summary. PROGRAM is a source or an image.

` + machineFlag + filterFlags + `
Examples:

	pepsim cop trace -n 3 sampler.s app.trace
`
	copStepUsage = `pepsim cop step [flags] PROGRAM [TRACE]

A debugger for programs of the co-processor. It reads commands from the standard
input: help lists them. Events come from the trace, or are typed. PROGRAM is a
source or an image.

` + machineFlag + filterFlags + `
Examples:

	pepsim cop step sampler.s
	pepsim cop step -n 600 sampler.s app.trace
`
)

// session prepares the run of a program over the trace that the arguments name, if they
// name one.
func session(c *command.Call, least int) (*debug.Session, error) {
	machine := c.Flags.String("machine", "", "")
	f := &trace.Filter{}
	f.Flags(c.Flags)
	text, err := readText(c, least, 2)
	if err != nil {
		return nil, err
	}
	s, err := debug.Open(c.Stdout, c.Args[0], text, *machine)
	if err != nil || len(c.Args) < 2 {
		return s, err
	}
	r, err := trace.Open(c.Args[1], c.Stdin)
	if err == nil {
		s.From(f, r)
	}
	return s, err
}

func traceProgram(c *command.Call) error {
	s, err := session(c, 2)
	if err != nil {
		return err
	}
	s.Trace()
	return s.Err()
}

func stepProgram(c *command.Call) error {
	s, err := session(c, 1)
	if err != nil {
		return err
	}
	return errors.Join(s.Debug(c.Stdin), s.Err())
}
