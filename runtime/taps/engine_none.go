//go:build peplinked && !peptaps

package taps

// This file stands in for engine.go in programs without taps: they link no engine,
// and nothing that reads descriptions of engines.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/report"
)

// ParseEngine takes any text: there is nothing that it could change.
func ParseEngine(string) (problem string) { return "" }

type engine struct{}

func newEngine(uint32) *engine { return nil }

func (*engine) push([]tuple.Tuple) (messages int) { return 0 }
func flushEngines([]*engine)                      {}
func (*engine) snapshot() []report.Word           { return nil }

func engineRate() uint64 { return 0 }
