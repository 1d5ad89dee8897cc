package core

// This file tests programs whose engines send ranges of words.

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
	hwtrace "github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/runtime/pepfile"
)

// rangeTables are the site tables of testdata/ranges.go.
func rangeTables() []*wire.Package {
	return []*wire.Package{{
		Path:    "main",
		Files:   []string{"/src/ranges.go"},
		Skipped: []wire.Skipped{{Name: "main.work", Line: 17, Reason: "for the test"}},
		Taps: []wire.Tap{{Tag: uint8(tuple.Load), Func: "main.work", Line: 23, Col: 3, Expr: "n", Type: "int", Bits: 64,
			Kind: wire.Signed}},
	}}
}

// replayed runs engines, given by their description, over a trace. It returns their
// messages, added up by range, and the number of streams in the trace.
func replayed(t *testing.T, spec *engines.Spec, name string) (sums map[string]int64, streams int) {
	t.Helper()
	r, err := hwtrace.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sums = map[string]int64{}
	out := hwsim.NewOut(512, func(msgs []hwsim.Message) {
		for _, m := range msgs {
			sums[rangeText(m)] += int64(m.Count)
		}
	})
	list := map[uint32]hwsim.Engine{}
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if list[b.Stream] == nil {
			list[b.Stream] = spec.New(b.Stream)
		}
		list[b.Stream].Push(b.Tuples, out)
	}
	var all []hwsim.Engine
	var outs []*hwsim.Out
	for _, s := range slices.Sorted(maps.Keys(list)) {
		all, outs = append(all, list[s]), append(outs, out)
	}
	engines.Flush(all, outs)
	return sums, len(list)
}

func rangeText(m hwsim.Message) string {
	first := m.Tuple.W
	return hex(first) + "-" + hex(first|(1<<m.Free-1))
}

func hex(x uint64) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; x > 0 || s == ""; x >>= 4 {
		s = digits[x&15:x&15+1] + s
	}
	return "0x" + s
}

// The ranges in the profile of a program are the ranges that a replay of its trace gives.
// Program and replay both merge the engines of several Ps. The hot range is among them.
func TestProfilesOfRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	all := engines.All
	engines.All = append(all[:len(all):len(all)], enginetest.Cells, enginetest.Gate) // as tag peptestengines does
	t.Cleanup(func() { engines.All = all })
	t.Parallel()
	exe := newLinker(t, ",peptestengines", target{}).program("ranges.go", rangeTables())
	for _, deliver := range []string{"interrupt", "service"} {
		for _, text := range []string{"cells(bits=12,slots=50)", "cells(bits=64,slots=1)", "CP2:cells(bits=8,slots=500)"} {
			r := execute(t, exe, []string{"PEPOPTS=trace=t.trace,deliver=" + deliver + ",engine=" + text}, "count")
			if r.stderr.Len() > 0 {
				t.Fatal(&r.stderr)
			}
			spec, err := engines.Parse(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, streams := replayed(t, spec, filepath.Join(r.dir, "t.trace"))
			p := r.profile(t, "values")
			if d := cmp.Diff(want, byLabel(p, "words")); d != "" {
				t.Errorf("%s, %s (-replay +profile):\n%s", text, deliver, d)
			}
			if f := pepbuildtest.Facts(t, p); streams > 1 && f.Number(facts.Merged)+f.Number(facts.MergedRoughly) == 0 {
				t.Errorf("%s, %d streams: %s", text, streams, f.Encode())
			}
			values := byLabel(p, "value")
			switch text {
			case "cells(bits=12,slots=50)":
				if n := values["n=[73728, 77823]"]; n < 8*90_000 || n > 8*90_000+800 {
					t.Errorf("the hot range has %d events, want %d and a few: %v", n, 8*90_000, values)
				}
			case "cells(bits=64,slots=1)":
				if n := values["n=[-9223372036854775808, 9223372036854775807]"]; n != 800_000 || len(values) != 1 {
					t.Errorf("one range of all words: %v", values)
				}
			}
		}
	}
}

// The profile that is written before exec has the counts that engines hold. If exec fails,
// the engines still hold them.
func TestSnapshotBeforeExec(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Parallel()
	exe := newLinker(t, ",peptestengines", target{}).program("ranges.go", rangeTables())
	for _, deliver := range []string{"interrupt", "service"} {
		r := execute(t, exe, []string{"PEPOPTS=deliver=" + deliver + ",engine=cells(bits=64,slots=1)"}, "exec")
		if r.stderr.Len() > 0 {
			t.Fatal(&r.stderr)
		}
		f, err := os.Open(filepath.Join(r.dir, "before.pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		before, err := profile.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		// Some events have not reached an engine: those in the buffers of the Ps, in the
		// chunks of the goroutines and in the queue of the service.
		n, after := sum(before), sum(r.profile(t, "values"))
		if most := int64(800_000); n > most || deliver == "interrupt" &&
			n < most-8*(pepfile.BufTuples+int64(pepfile.ChunkTuples)) || n == 0 {
			t.Errorf("%s: %d events before exec: %s", deliver, n, before.Comments)
		}
		if after != 800_000 {
			t.Errorf("%s: %d events at the end, want 800000", deliver, after)
		}
	}
}

func sum(p *profile.Profile) (n int64) {
	for _, s := range p.Sample {
		n += s.Value[0]
	}
	return n
}
