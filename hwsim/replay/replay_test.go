package replay_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/listing"
)

// synthetic returns n events of a made-up program, in the given number of streams.
func synthetic(seed uint64, funcs, n, streams int) replay.Source {
	tuples := tracetest.New(seed, funcs).Events(make([]tuple.Tuple, n))
	return func(do func(trace.Block) error) error {
		const size = 4096
		for i := 0; i < n; i += size {
			b := trace.Block{Stream: uint32(i / size / 10 % streams), Tuples: tuples[i:min(n, i+size)]}
			if err := do(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func run(t *testing.T, source replay.Source, c replay.Config) map[string]*replay.Result {
	t.Helper()
	results, err := replay.Run(source, c)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*replay.Result{}
	for _, r := range results {
		by[r.Spec.String()] = r
	}
	var out bytes.Buffer
	if err := listing.Text(&out, replay.Table(results, 0, nil, nil, nil)); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", out.String())
	return by
}

func TestMessagesAndRetention(t *testing.T) {
	const n = 1_000_000
	r := run(t, synthetic(1, 300, n, 2), replay.Config{Engines: []string{"R256", "P256", "H[P256]2048", "A16",
		"P256+A16"}})
	if got, want := r["P256"].Messages, uint64(n/256); got > want || got < want-1 { // of two streams
		t.Errorf("P256 sends %d messages, want %d", got, want)
	}
	if got, want := float64(r["R256"].Messages), float64(n/256); math.Abs(got-want) > 4*math.Sqrt(want) {
		t.Errorf("R256 sends %v messages, want about %v", got, want)
	}
	// A table holds (r-1)*n events at most; there is one for each stream.
	if gap := int64(r["P256"].Messages - r["H[P256]2048"].Messages); gap < 0 || gap > 2*2048 {
		t.Errorf("STRAT-09: H[P256]2048 sends %d messages less than P256, want 0 to 4096", gap)
	}
	if e := r["A16"].Error.Mean; e != 0 {
		t.Errorf("A16 has the error %v, want none", e)
	}
	if a, b := r["P256"], r["P256+A16"]; a.Error != b.Error || a.Profile.Total() != b.Profile.Total() {
		t.Errorf("STRAT-10: the profile with A16 differs: %v, %v", a.Error, b.Error)
	}
	for name, x := range r {
		if last := x.Errors[len(x.Errors)-1]; last.Events != n || last.Error != 100*x.Error.Mean || x.Events != n {
			t.Errorf("%s: the curve ends with %v, the error is %v", name, last, x.Error.Mean)
		}
	}
}

// A stratified sampler with twice the rate sends half as many messages as the others,
// except for the events that its counters hold.
func TestSTRAT23HalfTheMessages(t *testing.T) {
	r := run(t, synthetic(2, 300, 8_000_000, 1), replay.Config{Engines: []string{"R256", "H[P512]2048"}, First: 1_000_000})
	a, b := r["R256"], r["H[P512]2048"]
	ratio := float64(b.Messages) / float64(a.Messages)
	t.Logf("H[P512]2048 sends %.3f of the messages of R256, errors %.2f %% and %.2f %%", ratio, 100*b.Error.Mean,
		100*a.Error.Mean)
	if math.Abs(ratio-0.5) > 0.05 {
		t.Errorf("ratio %.3f, want 0.5±0.05", ratio)
	}
}

// A16 behind a sampler saves messages that repeat one of the 16 last tuples.
func TestSTRAT12SecondLevel(t *testing.T) {
	for seed := range uint64(3) {
		r := run(t, synthetic(seed, 20, 1_000_000, 1),
			replay.Config{Engines: []string{"R256", "R256+A16", "H[P256]2048", "H[P256]2048+A16"}})
		for _, e := range []string{"R256", "H[P256]2048"} {
			t.Logf("seed %d, %s: A16 sends 1/%.2f of the messages", seed, e,
				float64(r[e].Messages)/float64(r[e+"+A16"].Messages))
			if r[e+"+A16"].Messages > r[e].Messages {
				t.Errorf("seed %d, %s: more messages with A16", seed, e)
			}
		}
	}
}

// Edges and calls go through one compressor. Software can tell them apart by the tag or by
// the place, and both must give the same numbers. The overhead is below 4.5 % because of
// the rate.
func TestSTRAT25EdgesAndCalls(t *testing.T) {
	r := run(t, edgesAndCalls(), replay.Config{Engines: []string{"H[P256]2048"}, Limit: 1_000_000})["H[P256]2048"]
	byTag, byPlace := map[tuple.Tag]uint64{}, map[bool]uint64{}
	for _, x := range (metric.Selection{}).Of(r.Profile) {
		byTag[x.Tag()] += r.Profile.Tuple(x)
		byPlace[isCall(x.Site())] += r.Profile.Tuple(x)
	}
	if byTag[tuple.Call] != byPlace[true] || byTag[tuple.Edge] != byPlace[false] || byTag[tuple.Call] == 0 ||
		byTag[tuple.Call]+byTag[tuple.Edge] != r.Profile.Total() {
		t.Errorf("by tag %v, by place %v, all %d", byTag, byPlace, r.Profile.Total())
	}
	if r.Percent() >= 4.5 {
		t.Errorf("overhead %.2f %%, want below 4.5 %%", r.Percent())
	}
}

func TestLimit(t *testing.T) {
	r := run(t, synthetic(1, 10, 100_000, 1), replay.Config{Engines: []string{"P10"}, Limit: 12_345, First: 100})
	if got := r["P10"].Events; got != 12_345 {
		t.Errorf("%d events, want 12345", got)
	}
	if got := r["P10"].Errors[0].Events; got != 100 {
		t.Errorf("first point at %d events, want 100", got)
	}
}

func TestErrors(t *testing.T) {
	if _, err := replay.Run(synthetic(1, 10, 10, 1), replay.Config{Engines: []string{"H[P256"}}); err == nil ||
		!strings.Contains(err.Error(), "column 7") {
		t.Errorf("got %v, want an error that says where", err)
	}
	cut := errors.New("cut off")
	source := func(do func(trace.Block) error) error {
		return errors.Join(do(trace.Block{Tuples: make([]tuple.Tuple, 100)}), cut)
	}
	results, err := replay.Run(source, replay.Config{Engines: []string{"P10"}})
	if !errors.Is(err, cut) || len(results) != 1 || results[0].Messages != 10 {
		t.Errorf("got %v, %v, want the results up to the error, and the error", results, err)
	}
	none := func(func(trace.Block) error) error { return nil }
	if results, err := replay.Run(none, replay.Config{Engines: []string{"P10"}}); err != nil || results[0].Events != 0 {
		t.Errorf("no events: %v, %v", results, err)
	}
}

// An engine behind a filter is compared with what the filter passes on: a filter alone is
// exact, also at the end of its streams.
func TestFiltersAreNoErrors(t *testing.T) {
	const n = 100_000
	below := uint64(0)
	for _, x := range tracetest.New(5, 30).Events(make([]tuple.Tuple, n)) {
		if x.W < 100 {
			below++
		}
	}
	r := run(t, synthetic(5, 30, n, 3), replay.Config{Engines: []string{"where(0..99)", "where(0..99):P16", "P1"}})
	for _, text := range []string{"where(first=0..99)", "where(first=0..99):P16"} {
		if got := r[text].Ideal.Total(); got != below || below < n/10 || below > n-n/10 {
			t.Errorf("%s is compared with a profile of %d events, want %d of %d", text, got, below, n)
		}
	}
	if filter := r["where(first=0..99)"]; filter.Error.Mean != 0 || filter.Error.Places == 0 || filter.Messages != below {
		t.Errorf("the filter sends %d messages, with an error of %+v", filter.Messages, filter.Error)
	}
	if r["P1"].Ideal.Total() != n {
		t.Errorf("P1 is compared with %d events, want all", r["P1"].Ideal.Total())
	}
}

// Progress is called with the number of events so far, from 0 to nearly all, and knows the
// number of all before.
func TestProgress(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, &format.Header{})
	if err != nil {
		t.Fatal(err)
	}
	in := tracetest.New(1, 10).Events(make([]tuple.Tuple, 50_000))
	if err := errors.Join(w.Write(0, in), w.Close(0)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(name, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := trace.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for limit, want := range map[uint64]uint64{0: 50_000, 10: 10, 60_000: 50_000} {
		if got := trace.Total([]*trace.Reader{r}, limit); got != want {
			t.Errorf("limit %d: %d events, want %d", limit, got, want)
		}
	}
	if got := trace.Total([]*trace.Reader{r, {}}, 7); got != 7 {
		t.Errorf("%d events of a pipe with a limit of 7", got)
	}
	var calls []uint64
	results, err := replay.Run(replay.Of(r),
		replay.Config{Engines: []string{"P10"}, Progress: func(n uint64) { calls = append(calls, n) }})
	if err != nil || results[0].Events != 50_000 {
		t.Fatalf("%v, %d events", err, results[0].Events)
	}
	if n := len(calls); n < 5 || calls[0] != 0 || calls[n-1] < 40_000 || calls[n-1] >= 50_000 || !slices.IsSorted(calls) {
		t.Errorf("calls of Progress with %d", calls)
	}
}
