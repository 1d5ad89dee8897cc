package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/mutant"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/chunk"
)

// labels are sets of labels, with what needs quotes.
var labels = []capture.Labels{"", capture.MakeLabels([]capture.Label{{Key: "a", Value: "b"}}),
	capture.MakeLabels([]capture.Label{{Key: "", Value: "\x00 \"=\" \xff"}, {Key: "é", Value: ""}})}

// randomRuns returns runs over two images. Fields that are not known are 0.
func randomRuns(random *rand.Rand, n int) (runs []capture.Run) {
	images := []*capture.Image{{BuildID: "abcd", Path: "/bin/a"}, {BuildID: "", Path: "lib.so"}}
	var insns []*capture.Instruction
	for i := range 50 {
		code := make([]byte, 1+random.IntN(15))
		for i := range code {
			code[i] = byte(random.Uint32())
		}
		insns = append(insns, &capture.Instruction{
			Image: images[random.IntN(2)], PC: random.Uint64() >> random.IntN(64), Code: code,
			Reads: capture.Registers(random.Uint64()), Writes: capture.FlagsRegister | capture.Registers(i),
			Memory: capture.Access(random.IntN(4)), Width: uint8(random.IntN(256)), Float: uint8(random.IntN(3) * 4),
			Flow: capture.Flow(random.IntN(5)),
		})
	}
	word := func() uint64 { return random.Uint64() >> random.IntN(64) }
	for range n {
		r := capture.Run{
			Time: word(), PID: random.Uint32(), TID: random.Uint32(), CPU: random.Uint32() & 3, Goid: word(),
			Labels: labels[random.IntN(len(labels))], Bias: word(), Skipped: random.Uint32(), Steps: random.Uint32(),
			TopOfStack: word(), BehindFrame: word(),
		}
		if random.IntN(4) > 0 {
			r.At = insns[random.IntN(len(insns))]
		}
		for range random.IntN(20) {
			t := capture.Tuple{Insn: insns[random.IntN(len(insns))],
				Known: capture.Fields(random.IntN(int(capture.AllFields) + 1))}
			for _, f := range []struct {
				field capture.Fields
				word  *uint64
			}{{capture.Result, &t.Result}, {capture.First, &t.First}, {capture.Second, &t.Second}, {capture.Named, &t.Named},
				{capture.Addr, &t.Addr}, {capture.Target, &t.Target}} {
				if t.Known&f.field != 0 {
					*f.word = word()
				}
			}
			t.Taken = t.Known&capture.Taken != 0 && random.IntN(2) == 0
			r.Tuples = append(r.Tuples, t)
		}
		runs = append(runs, r)
	}
	return runs
}

func record(t testing.TB, h capture.Header, runs []capture.Run, lost uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, h)
	for i := range runs {
		w.Write(&runs[i], lost)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// replay reads all of a recording.
func replay(data []byte) (h capture.Header, runs []capture.Run, lost uint64, err error) {
	p, err := capture.OpenReplay(bytes.NewReader(data))
	if err != nil {
		return h, nil, 0, err
	}
	for {
		var r capture.Run
		if err := p.Next(&r); err == io.EOF {
			return p.Header, runs, p.Lost(), nil
		} else if err != nil {
			if again := p.Next(&r); again == nil || again == io.EOF {
				return h, nil, 0, errors.New("no error after an error")
			}
			return h, runs, 0, err
		}
		runs = append(runs, r)
	}
}

// VSAMP-30: what was written is read again, over many chunks. VSAMP-16: with the tuples of
// each run whole and in order.
func TestReplayIsWhatWasRecorded(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		want := randomRuns(random, random.IntN(800))
		header := capture.Header{Comment: "values -p 71", Interval: 1003009,
			Modules: []string{"operands", "vreplay(window=80)"}}
		h, got, lost, err := replay(record(t, header, want, seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(want) == 0 {
			want = nil
		}
		if d := cmp.Diff(want, got, cmp.Transformer("none", func(x []capture.Tuple) []capture.Tuple {
			return append([]capture.Tuple(nil), x...)
		})); d != "" {
			t.Fatalf("seed %d (-recorded +read):\n%.2000s", seed, d)
		}
		if d := cmp.Diff(header, h); d != "" || lost != seed {
			t.Errorf("seed %d: header (-want +got):\n%s, lost %d, want %d", seed, d, lost, seed)
		}
	}
}

// While a recording is read, Lost says how many runs were lost so far.
func TestLostSoFar(t *testing.T) {
	runs := randomRuns(rand.New(rand.NewPCG(1, 4)), 2000)
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Header{})
	for i := range runs {
		w.Write(&runs[i], uint64(i+1))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := capture.OpenReplay(&b)
	if err != nil {
		t.Fatal(err)
	}
	var r capture.Run
	if err := p.Next(&r); err != nil || p.Lost() == 0 || p.Lost() >= 2000 {
		t.Errorf("after the first run: lost %d, %v, want some of 2000", p.Lost(), err)
	}
}

// Instructions of one recording are the same pointers each time, so they can be keys.
func TestInstructionsAreShared(t *testing.T) {
	_, runs, _, err := replay(record(t, capture.Header{}, randomRuns(rand.New(rand.NewPCG(1, 2)), 500), 0))
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		image *capture.Image
		pc    uint64
		code  string
	}
	seen := map[key]*capture.Instruction{}
	for _, r := range runs {
		for _, x := range r.Tuples {
			k := key{x.Insn.Image, x.Insn.PC, string(x.Insn.Code)}
			if seen[k] != nil && seen[k] != x.Insn {
				t.Fatalf("two instructions at %#x", k.pc)
			}
			seen[k] = x.Insn
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d instructions, want 50", len(seen))
	}
}

func TestRecordingsThatAreNotWhole(t *testing.T) {
	whole := record(t, capture.Header{Comment: "x"}, randomRuns(rand.New(rand.NewPCG(1, 3)), 10), 0)
	for n := range whole {
		if _, _, _, err := replay(whole[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are read without an error", n, len(whole))
		}
		bad := bytes.Clone(whole)
		bad[n] ^= 1 << (n % 8)
		if _, _, _, err := replay(bad); err == nil {
			t.Fatalf("a recording with byte %d changed is read without an error", n)
		}
	}
}

// file returns a recording with an image, an instruction, labels, the given chunk, and the end.
func file(kind byte, body []byte) []byte {
	var b bytes.Buffer
	w := chunk.NewWriter(&b, "pepVRUNS", 2)
	w.Write('H', []byte{0, 0, 0})
	w.Write('M', []byte("\x02ab\x01x"))
	w.Write('I', numbers(1, 0, 0x401000, 1, 0x10, 0, 0, 0, 0, 0, 0))
	w.Write('G', []byte("\x07\"a\"=\"b\""))
	w.Write(kind, body)
	w.Write(chunk.End, numbers(1, 0))
	return b.Bytes()
}

func numbers(list ...uint64) (b []byte) {
	for _, u := range list {
		b = binary.AppendUvarint(b, u)
	}
	return b
}

func TestBadChunks(t *testing.T) {
	run := func(list ...uint64) []byte { return append(numbers(0, 1), numbers(list...)...) }
	for _, c := range []struct {
		name string
		kind byte
		body []byte
		want string // "" if there is nothing wrong
	}{
		{"a run", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 2, 7), ""},
		{"an instruction that is not there", 'R', run(0, 1, 1, 0, 0, 1, 2, 0, 0, 1, 0, 0, 0),
			"instruction number 2, want at most 1"},
		{"a tuple of an instruction that is not there", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 2, 1),
			"instruction number 1, and there are 1"},
		{"a tuple of an instruction below 0", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1),
			"instruction number 18446744073709551615"},
		{"a field that there is not", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 256), "set of known fields 256"},
		{"a branch that is taken twice", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 64, 2), "branch outcome 2"},
		{"labels that are not there", 'R', run(0, 1, 1, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0), "number of labels 2, want at most 1"},
		{"labels that are no pairs", 'G', []byte("\x03\"a\""), `labels "\"a\"": want`},
		{"labels in another form", 'G', []byte("\x07`a`=\"b\""), "want \"key\"=\"value\""},
		{"more tuples than bytes", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1<<60), "1152921504606846976 things"},
		{"more runs than bytes", 'R', numbers(0, 1<<60), "1152921504606846976 things"},
		{"a large process number", 'R', run(0, 1<<32, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0), "process 4294967296"},
		{"bytes behind the runs", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0), "1 bytes too many"},
		{"runs that end", 'R', run(0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0), "1 things in a chunk that has 12 bytes left"},
		{"an instruction of an image that is not there", 'I', numbers(1, 1, 0, 1, 0x10, 0, 0, 0, 0, 0, 0),
			"image number 1, and there are 1 images"},
		{"an instruction without code", 'I', append(numbers(1, 0, 0x401000, 0, 0, 0, 0, 0, 0), 0, 0),
			"instruction of 0 bytes"},
		{"an unknown access", 'I', numbers(1, 0, 0, 1, 0x10, 0, 0, 4, 0, 0, 0), "access 4"},
		{"an unknown kind", 'Q', nil, "a chunk of the kind 'Q'"},
		{"an end too early", 'E', numbers(0, 0), "more bytes after the end"},
		{"nothing, and an end that counts a run", 'M', []byte("\x00\x00"), "has 0 runs, its end says 1"},
	} {
		_, _, _, err := replay(file(c.kind, c.body))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := capture.OpenReplay(bytes.NewReader(append([]byte("pepVRUNS\x02"),
		file('M', nil)[9+12:]...))); err == nil || !strings.Contains(err.Error(), "want the header") {
		t.Errorf("a recording without a header: got error %v", err)
	}
}

// The mutants of a recording, in which all checksums are right, are read and written again, or there is an
// error.
func TestMutants(t *testing.T) {
	header := capture.Header{Comment: "values -p 71", Interval: 1003009, Modules: []string{"operands"}}
	mutant.Chunks(t, record(t, header, randomRuns(rand.New(rand.NewPCG(1, 1)), 40), 3), func(data []byte) bool {
		h, runs, lost, err := replay(data)
		if err == nil {
			record(t, h, runs, lost)
		}
		return err == nil
	})
}

// FuzzReplay reads recordings with a chunk of any bytes. What is read without an error is
// written and read again.
func FuzzReplay(f *testing.F) {
	f.Add(byte('R'), []byte("\x00\x01\x00\x01\x01\x00\x00\x01\x01\x00\x00\x01\x00\x00\x01\x00\x02\x07"))
	f.Add(byte('I'), []byte("\x01\x00\x00\x01\x90\x00\x00\x00\x00\x00\x00"))
	f.Add(byte('M'), []byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		if len(body) > chunk.MaxBody {
			return
		}
		h, runs, lost, err := replay(file(kind, body))
		if err != nil {
			return
		}
		_, again, _, err := replay(record(t, h, runs, lost))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(runs, again); d != "" {
			t.Errorf("(-first +second):\n%s", d)
		}
	})
}
