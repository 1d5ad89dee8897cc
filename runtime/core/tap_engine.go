//go:build peptaps || !peplinked

package core

// This file makes the engines of programs with taps.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/tuple"
)

// engineSpec is the engine that PEPOPTS asks for, if that is not options.EngineExact.
var engineSpec *engines.Spec

// parseEngine reads the description of an engine, and the files that it names.
func parseEngine(text string) (problem string) {
	if text == options.EngineExact {
		return ""
	}
	spec, err := engines.Parse(text, readSetting)
	if err != nil {
		return err.Error()
	}
	if spec.Ranges() {
		return "engine " + text + " sends ranges of words, which profiles cannot show: record a trace with engine=exact,trace=FILE, and give that to pepsim run"
	}
	engineSpec = spec
	return ""
}

// An engine is that of a stream. Its messages go into the table of words.
type engine struct {
	hwsim.Engine
	out      *hwsim.Out
	messages int // in all
}

// engineMessages is how many messages an engine sends at a time: they take no more
// memory than a buffer of tuples, and so fit into the first-level cache with it.
const engineMessages = 512

// newEngine returns the engine of a stream, nil if every tuple is counted. It
// allocates all that the engine needs until it is flushed.
func newEngine(stream uint32) *engine {
	if tapOptions.Engine == options.EngineExact {
		return nil
	}
	e := &engine{Engine: engineSpec.New(stream)}
	e.out = hwsim.NewOut(engineMessages, e.fold)
	return e
}

// push gives tuples to the engine, and returns how many messages it sent for them.
func (e *engine) push(tuples []tuple.Tuple) (messages int) {
	before := e.messages
	e.Push(tuples, e.out)
	e.out.Drain()
	return e.messages - before
}

// flush has the engine send what it has kept.
func (e *engine) flush() {
	e.Flush(e.out)
	e.out.Drain()
}

// fold adds messages to the table.
func (e *engine) fold(msgs []hwsim.Message) {
	for i := range msgs {
		m := &msgs[i]
		wordTable.Add(m.Tuple.PC, m.Tuple.W, m.Count, 1)
	}
	e.messages += len(msgs)
}
