package sampler

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// script runs a sampler through ticks (t) and polls (.) and returns what each was. A poll is
// S if it was a sample and - if it was not, followed by ! if it disarmed the polls. A tick
// is | if it began a burst and o if it was an overrun. The sampler does not see polls while
// they are not armed; these are a space.
func script(s *Sampler, events string) string {
	var out strings.Builder
	armed := false
	for _, e := range events {
		if e == 't' {
			overruns := s.Overruns
			armed = s.BeginBurst() == ActArm
			if s.Overruns > overruns {
				out.WriteByte('o')
			} else {
				out.WriteByte('|')
			}
			continue
		}
		if !armed {
			out.WriteByte(' ')
			continue
		}
		take, act := s.Poll()
		out.WriteByte("-S"[b2i(take)])
		if act == ActDisarm {
			out.WriteByte('!')
			armed = false
		}
	}
	return out.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestBursts(t *testing.T) {
	const four = "t........t........t........t........"
	for _, test := range []struct {
		name                  string
		samples, stride, form uint32
		events, want          string
	}{
		{"PEP-16: simplified bursts are consecutive after a rotating gap", 4, 3, AgSimplified,
			four, "|SSSS!    |-SSSS!   |--SSSS!  |SSSS!    "},
		{"PEP-17: regular bursts are spaced by the stride", 4, 3, AgRegular,
			"t...........t............t............t..........", "|S--S--S--S! |-S--S--S--S! |--S--S--S--S!|S--S--S--S!"},
		{"Jikes RVM's gaps are zero twice", 2, 3, AgJikes,
			"t.....t.....t.....t.....", "|S--S! |-S--S!|S--S! |S--S! "},
		{"PEP-18: a tick during a burst changes nothing", 4, 3, AgSimplified,
			"t..t......t.......", "|SSoSS!    |-SSSS!  "},
		{"PEP-18: not even before the first sample", 4, 3, AgSimplified,
			"t....t.tt.......", "|SSSS!|-ooSSSS!   "},
		{"PEP-19: PEP(1,1) is one sample per tick", 1, 1, AgSimplified,
			"t...t...t...", "|S!  |S!  |S!  "},
	} {
		s := &Sampler{Samples: test.samples, Stride: test.stride, Form: test.form}
		if got := script(s, test.events); got != test.want {
			t.Errorf("%s: got  %q\nwant %q", test.name, got, test.want)
		}
		if n := uint64(strings.Count(test.want, "S")); s.Taken != n {
			t.Errorf("%s: %d samples, want %d", test.name, s.Taken, n)
		}
		if n := uint64(strings.Count(test.events, "t")); s.Ticks != n {
			t.Errorf("%s: %d ticks, want %d", test.name, s.Ticks, n)
		}
	}
}

func TestPollAfterTheBudgetDisarmsAgain(t *testing.T) {
	s := &Sampler{Samples: 1, Stride: 1}
	s.BeginBurst()
	s.Poll()
	if take, act := s.Poll(); take || act != ActDisarm {
		t.Errorf("got %t, %d", take, act)
	}
}

func TestStoppedSamplerDisarms(t *testing.T) {
	s := &Sampler{Samples: 1, Stride: 1, Stopped: 1}
	if act := s.BeginBurst(); act != ActDisarm {
		t.Errorf("got %d", act)
	}
}

func TestEverySampleOfABurstIsTakenByOneThread(t *testing.T) {
	const ticks, threads = 1000, 8
	s := &Sampler{Samples: 64, Stride: 17}
	for range ticks {
		s.BeginBurst()
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				for act := ActNone; act != ActDisarm; {
					_, act = s.Poll()
				}
			})
		}
		wg.Wait()
	}
	if s.Taken != 64*ticks || s.Overruns != 0 {
		t.Errorf("%d samples, %d overruns after %d ticks", s.Taken, s.Overruns, ticks)
	}
}

// The longest stride has space beside the most samples.
func TestLongestStride(t *testing.T) {
	s := &Sampler{Samples: 3, Stride: MaxStride, Form: AgRegular}
	s.BeginBurst()
	var gaps []int
	for polls := 1; len(gaps) < 3; polls++ {
		take, act := s.Poll()
		if take {
			gaps = append(gaps, polls)
			polls = 0
		}
		if polls > MaxStride || (act == ActDisarm) != (len(gaps) == 3) {
			t.Fatalf("samples after %d polls, and then %d without one", gaps, polls)
		}
	}
	if gaps[0] != 1 || gaps[1] != MaxStride || gaps[2] != MaxStride {
		t.Errorf("samples after %d polls, want 1, %d, %d", gaps, MaxStride, MaxStride)
	}
}

// Threads that poll at once neither take a sample twice nor lose a poll: a burst ends after as many samples as it has,
// and after the polls that its stride wants, whichever threads they come from. The bursts are so long that threads of
// several CPUs meet.
func TestThreadsShareABurst(t *testing.T) {
	const samples, stride, threads = 1_000_000, 3, 4
	for form, want := range map[uint32]uint64{AgSimplified: samples, AgRegular: (samples-1)*stride + 1} {
		s := &Sampler{Samples: samples, Stride: stride, Form: form}
		s.BeginBurst() // without a gap before the first sample
		var polls, disarmed atomic.Uint64
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				n := uint64(0)
				for {
					take, act := s.Poll()
					if !take && act == ActDisarm {
						break // the burst was over
					}
					n++
					if take && act == ActDisarm {
						disarmed.Add(1)
					}
				}
				polls.Add(n)
			})
		}
		wg.Wait()
		if s.Taken != samples || polls.Load() != want || disarmed.Load() != 1 {
			t.Errorf("form %d: %d samples in %d polls, the last %d times; want %d in %d, once", form, s.Taken, polls.Load(),
				disarmed.Load(), samples, want)
		}
	}
}

// Each tick begins a burst or is an overrun, and each burst of one sample has one, however ticks and polls of threads
// meet.
func TestTicksAndPollsAtOnce(t *testing.T) {
	const rounds, threads = 1_000_000, 4
	s := &Sampler{Samples: 1, Stride: 1}
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			for range rounds {
				s.BeginBurst()
				if i%2 == 0 {
					s.Poll()
				}
			}
		})
	}
	wg.Wait()
	s.Poll() // the last burst may be on
	if !s.Idle() || s.Ticks != rounds*threads || s.Taken != s.Ticks-s.Overruns {
		t.Errorf("%d ticks, %d overruns, %d samples; want %d ticks, and a sample of each that is no overrun", s.Ticks,
			s.Overruns, s.Taken, rounds*threads)
	}
}
