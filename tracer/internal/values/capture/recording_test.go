package capture_test

import (
	"io"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// times is a source of runs that have nothing but times.
type times []uint64

func (s *times) Next(r *capture.Run) error {
	if len(*s) == 0 {
		return io.EOF
	}
	r.Time, *s = (*s)[0], (*s)[1:]
	return nil
}

func (*times) Lost() uint64 { return 0 }

func TestPaced(t *testing.T) {
	const ms = 1_000_000
	p := &capture.Paced{Source: &times{500 * ms, 400 * ms, 900 * ms}, Speed: 10}
	began := time.Now()
	var r capture.Run
	for _, least := range []time.Duration{0, 0, 40} {
		if err := p.Next(&r); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < least*time.Millisecond {
			t.Errorf("the run of time %d came after %v, want %v or more", r.Time, took, least*time.Millisecond)
		}
	}
	if err := p.Next(&r); err != io.EOF {
		t.Errorf("got %v, want the end", err)
	}
}
