//go:build !peplinked

package enginetest

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// collect returns what send sends, through a buffer of the given size.
func collect(size int, send func(out *hwsim.Out)) (msgs []hwsim.Message) {
	out := hwsim.NewOut(size, func(m []hwsim.Message) { msgs = append(msgs, m...) })
	send(out)
	out.Drain()
	return slices.Clip(msgs)
}

// Push returns the messages that an engine sends when it is given tuples.
func Push(e hwsim.Engine, in []tuple.Tuple) []hwsim.Message {
	return collect(512, func(out *hwsim.Out) { e.Push(in, out) })
}

// Flush returns the messages that an engine sends when it is flushed.
func Flush(e hwsim.Engine) []hwsim.Message { return collect(512, e.Flush) }

// New returns the engine of a description for stream 0. Parse is that of package engines,
// whose tests import this package.
func New[S interface {
	New(stream uint32) hwsim.Engine
}](t testing.TB, parse func(string, hwsim.ReadFile) (S, error), text string) hwsim.Engine {
	t.Helper()
	s, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.New(0)
}
