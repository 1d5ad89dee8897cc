//go:build peptaps || !peplinked

package taps

// This file makes the engines of programs with taps.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
)

// engineSpec is the engine that PEPOPTS asks for, if that is not options.EngineExact.
var engineSpec *engines.Spec

// ParseEngine reads the description of an engine, and the files that it names.
func ParseEngine(text string) (problem string) {
	if text == options.EngineExact {
		return ""
	}
	spec, err := engines.Parse(text, readSetting)
	if err != nil {
		return err.Error()
	}
	if spec.ForTraces() {
		return "engine " + text + " sends points or sites that profiles have no names for: record a trace with engine=exact,trace=FILE, and give that to pepsim run"
	}
	engineSpec = spec
	return ""
}

// engineRate returns of how many events a sample of the engine is one, 0 if that is not
// known or there is no engine.
func engineRate() uint64 {
	if settings.Engine == options.EngineExact {
		return 0
	}
	return engineSpec.Rate()
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
	if settings.Engine == options.EngineExact {
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

// flushEngines flushes the engines at the end of the program. Engines that can be merged
// are merged into one before that.
func flushEngines(list []*engine) {
	if len(list) == 0 {
		return
	}
	all := make([]hwsim.Engine, len(list))
	outs := make([]*hwsim.Out, len(list))
	for i, e := range list {
		all[i], outs[i] = e.Engine, e.out
	}
	merged, exact := engines.Flush(all, outs)
	if exact {
		wordTable.Merged = uint32(merged)
	} else {
		wordTable.MergedRoughly = uint32(merged)
	}
}

// snapshot returns the words that the engine would send if it were flushed now. It returns
// nil if the engine cannot tell without a flush.
func (e *engine) snapshot() (words []report.Word) {
	out := hwsim.NewOut(engineMessages, func(msgs []hwsim.Message) {
		for _, m := range msgs {
			words = append(words, report.Word{Tuple: m.Tuple, Free: m.Free, Count: int64(m.Count), Messages: 1})
		}
	})
	engines.Snapshot(e.Engine, out)
	out.Drain()
	return words
}

// fold adds messages to the table.
func (e *engine) fold(msgs []hwsim.Message) {
	for i := range msgs {
		m := &msgs[i]
		wordTable.Add(pepfile.WordKey{PC: m.Tuple.PC, W: m.Tuple.W, Free: m.Free}, m.Count, 1)
	}
	e.messages += len(msgs)
}
