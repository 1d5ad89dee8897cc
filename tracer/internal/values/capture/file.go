package capture

// This file writes and reads recordings.
//
// A recording is a file of package chunk with the name "pepVRUNS", version 2, and chunks
// with these bodies. A register set has 64 bits; each byte here is a number below 256.
//
//	H  header        comment: string; interval; number of modules, per module: string
//	M  image         build ID: string; path: string
//	I  instructions  number of instructions, per instruction: image, PC, code: string,
//	                 reads, writes, memory, width, float, flow
//	G  labels        of a goroutine: string, see Labels
//	R  runs          lost so far, number of runs, per run: time, PID, TID, CPU, goroutine,
//	                 labels + 1 or 0, interrupted instruction + 1 or 0, bias, skipped, steps, top of stack,
//	                 behind frame, number of tuples, per tuple: instruction less the one of the
//	                 tuple before + 1 (signed; at first the one before has the number 0), known,
//	                 and the known ones of result, first, second, named, address, target, taken
//	E  end           number of runs, lost
//
// The header is first. Images, instructions and labels are numbered from 0 as they come, and
// come before what refers to them. Times are ns after that of the run before (signed).

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pepgo/pep/tracer/internal/values/chunk"
)

const (
	fileName    = "pepVRUNS"
	fileVersion = 2

	flushBytes = 64 << 10 // a chunk of runs is written when it is so long
)

// A Header says how a recording was made.
type Header struct {
	Comment  string   // the command line
	Interval uint64   // ns of CPU time between the interrupts of a CPU
	Modules  []string // descriptions of the modules that it was made for
}

// A Writer writes a recording. Its errors are those of Close.
type Writer struct {
	c      *chunk.Writer
	images map[*Image]uint64
	insns  map[*Instruction]uint64
	labels map[Labels]uint64

	code          []byte // instructions that are not in a chunk yet, and their number
	runs          []byte // likewise
	nCode, nRuns  uint64
	written, lost uint64
	last          uint64 // time of the last run
}

// NewWriter begins a recording.
func NewWriter(w io.Writer, h Header) *Writer {
	b := chunk.AppendString(nil, h.Comment)
	b = binary.AppendUvarint(b, h.Interval)
	b = binary.AppendUvarint(b, uint64(len(h.Modules)))
	for _, m := range h.Modules {
		b = chunk.AppendString(b, m)
	}
	c := chunk.NewWriter(w, fileName, fileVersion)
	c.Write('H', b)
	return &Writer{c: c, images: map[*Image]uint64{}, insns: map[*Instruction]uint64{}, labels: map[Labels]uint64{}}
}

// Write writes a run. Lost is how many runs the source has lost so far.
func (w *Writer) Write(r *Run, lost uint64) {
	w.lost = lost
	b := binary.AppendVarint(w.runs, int64(r.Time-w.last))
	w.last = r.Time
	for _, u := range []uint64{uint64(r.PID), uint64(r.TID), uint64(r.CPU), r.Goid, w.labelled(r.Labels)} {
		b = binary.AppendUvarint(b, u)
	}
	at := uint64(0)
	if r.At != nil {
		at = w.instruction(r.At) + 1
	}
	for _, u := range []uint64{at, r.Bias, uint64(r.Skipped), uint64(r.Steps), r.TopOfStack, r.BehindFrame,
		uint64(len(r.Tuples))} {
		b = binary.AppendUvarint(b, u)
	}
	next := uint64(0)
	for i := range r.Tuples {
		t := &r.Tuples[i]
		n := w.instruction(t.Insn)
		b = binary.AppendVarint(b, int64(n-next))
		next = n + 1
		b = binary.AppendUvarint(b, uint64(t.Known))
		for _, f := range t.words() {
			if t.Known&f.field != 0 {
				b = binary.AppendUvarint(b, *f.word)
			}
		}
		if t.Known&Taken != 0 {
			b = append(b, boolByte(t.Taken))
		}
	}
	w.runs = b
	w.nRuns++
	w.written++
	if len(w.runs) > flushBytes {
		w.flush()
	}
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A wordField is a field of a tuple that is a word.
type wordField struct {
	field Fields
	word  *uint64
}

// words returns the fields that are words, in the order of the file.
func (t *Tuple) words() [6]wordField {
	return [6]wordField{{Result, &t.Result}, {First, &t.First}, {Second, &t.Second}, {Named, &t.Named}, {Addr, &t.Addr},
		{Target, &t.Target}}
}

// labelled returns the number of labels + 1, or 0 if there are none. New ones are written before
// the runs.
func (w *Writer) labelled(l Labels) uint64 {
	if l == "" {
		return 0
	}
	n, ok := w.labels[l]
	if !ok {
		n = uint64(len(w.labels)) + 1
		w.labels[l] = n
		w.c.Write('G', chunk.AppendString(nil, string(l)))
	}
	return n
}

// instruction returns the number of an instruction. A new one is written before the runs.
func (w *Writer) instruction(in *Instruction) uint64 {
	n, ok := w.insns[in]
	if ok {
		return n
	}
	image, ok := w.images[in.Image]
	if !ok {
		image = uint64(len(w.images))
		w.images[in.Image] = image
		w.c.Write('M', chunk.AppendString(chunk.AppendString(nil, in.Image.BuildID), in.Image.Path))
	}
	n = uint64(len(w.insns))
	w.insns[in] = n
	w.code = AppendInstruction(binary.AppendUvarint(w.code, image), in)
	w.nCode++
	if len(w.code) > flushBytes {
		w.flushCode()
	}
	return n
}

func (w *Writer) flushCode() {
	if w.nCode > 0 {
		w.c.Write('I', append(binary.AppendUvarint(nil, w.nCode), w.code...))
		w.code, w.nCode = w.code[:0], 0
	}
}

func (w *Writer) flush() {
	w.flushCode()
	if w.nRuns > 0 {
		b := binary.AppendUvarint(binary.AppendUvarint(nil, w.lost), w.nRuns)
		w.c.Write('R', append(b, w.runs...))
		w.runs, w.nRuns = w.runs[:0], 0
	}
}

// Close ends the recording. It does not close the file.
func (w *Writer) Close() error {
	w.flush()
	w.c.Write(chunk.End, binary.AppendUvarint(binary.AppendUvarint(nil, w.written), w.lost))
	return w.c.Err()
}

// A Replay is the source of a recording.
type Replay struct {
	Header Header

	c      *chunk.Reader
	images []*Image
	insns  []*Instruction
	labels []Labels

	runs *chunk.Decoder // of the current chunk of runs
	left int            // runs in it
	read uint64         // runs so far
	lost uint64
	last uint64 // time of the last run
	err  error
}

// OpenReplay reads the header of a recording.
func OpenReplay(r io.Reader) (*Replay, error) {
	p := &Replay{}
	var err error
	if p.c, err = chunk.NewReader(r, fileName, fileVersion); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	kind, body, err := p.c.Next()
	if err == nil && kind != 'H' {
		err = fmt.Errorf("the first chunk is %q, want the header 'H'", kind)
	}
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	d := chunk.NewDecoder(body)
	p.Header.Comment = d.String()
	p.Header.Interval = d.Uint()
	for range d.Count(1) {
		p.Header.Modules = append(p.Header.Modules, d.String())
	}
	if err := d.Finish(); err != nil {
		return nil, fmt.Errorf("recording: header: %w", err)
	}
	return p, nil
}

// Lost returns how many runs the recording lacks.
func (p *Replay) Lost() uint64 { return p.lost }

// Next returns the next run. After an error that is not io.EOF, what follows in the file is
// lost, and Next returns the error again.
func (p *Replay) Next(r *Run) error {
	for p.err == nil && p.left == 0 {
		p.chunk()
	}
	if p.err == nil {
		p.run(r)
	}
	if p.err != nil && p.err != io.EOF {
		return fmt.Errorf("recording: after %d runs: %w", p.read, p.err)
	}
	return p.err
}

// chunk reads a chunk.
func (p *Replay) chunk() {
	kind, body, err := p.c.Next()
	if err != nil {
		p.err = err
		return
	}
	d := chunk.NewDecoder(body)
	switch kind {
	case 'M':
		p.images = append(p.images, &Image{BuildID: d.String(), Path: d.String()})
	case 'I':
		for range d.Count(10) {
			p.instruction(d)
		}
	case 'G':
		l := Labels(d.String())
		if _, err := l.List(); err != nil {
			d.Fail(err)
		}
		p.labels = append(p.labels, l)
	case 'R':
		p.lost = d.Uint()
		if p.left = d.Count(13); p.left > 0 {
			p.runs = d
			return
		}
	case chunk.End:
		if runs := d.Uint(); runs != p.read {
			d.Fail(fmt.Errorf("the recording has %d runs, its end says %d", p.read, runs))
		}
		p.lost = d.Uint()
		if p.err = d.Finish(); p.err == nil {
			p.err = io.EOF
		}
		return
	default:
		d.Fail(fmt.Errorf("a chunk of the kind %q, which recordings do not have", kind))
	}
	p.err = d.Finish()
}

func (p *Replay) instruction(d *chunk.Decoder) {
	image := d.Max(uint64(len(p.images)), "image number")
	in := ReadInstruction(d)
	if d.OK() && image == uint64(len(p.images)) {
		d.Fail(fmt.Errorf("image number %d, and there are %d images", image, len(p.images)))
	}
	if d.OK() {
		in.Image = p.images[image]
		p.insns = append(p.insns, in)
	}
}

// AppendInstruction appends an instruction to the body of a chunk, without its image.
func AppendInstruction(b []byte, in *Instruction) []byte {
	b = binary.AppendUvarint(b, in.PC)
	b = chunk.AppendString(b, string(in.Code))
	for _, u := range []uint64{uint64(in.Reads), uint64(in.Writes), uint64(in.Memory), uint64(in.Width), uint64(in.Float),
		uint64(in.Flow)} {
		b = binary.AppendUvarint(b, u)
	}
	return b
}

// ReadInstruction reads what AppendInstruction has written.
func ReadInstruction(d *chunk.Decoder) *Instruction {
	in := &Instruction{PC: d.Uint(), Code: append([]byte(nil), d.Bytes()...)}
	in.Reads, in.Writes = Registers(d.Uint()), Registers(d.Uint())
	in.Memory = Access(d.Max(uint64(Load|Store), "access"))
	in.Width = uint8(d.Max(255, "width"))
	in.Float = uint8(d.Max(8, "size of a float"))
	in.Flow = Flow(d.Max(uint64(Return), "flow"))
	if n := len(in.Code); d.OK() && (n < 1 || n > 15) {
		d.Fail(fmt.Errorf("an instruction of %d bytes, want 1 to 15", n))
	}
	return in
}

// run reads a run of the current chunk into *r.
func (p *Replay) run(r *Run) {
	d := p.runs
	*r = Run{Tuples: r.Tuples[:0]}
	p.last += uint64(d.Int())
	r.Time = p.last
	r.PID = uint32(d.Max(1<<32-1, "process"))
	r.TID = uint32(d.Max(1<<32-1, "thread"))
	r.CPU = uint32(d.Max(1<<32-1, "CPU"))
	r.Goid = d.Uint()
	if l := d.Max(uint64(len(p.labels)), "number of labels"); l > 0 {
		r.Labels = p.labels[l-1]
	}
	if at := d.Max(uint64(len(p.insns)), "instruction number"); at > 0 {
		r.At = p.insns[at-1]
	}
	r.Bias = d.Uint()
	r.Skipped = uint32(d.Max(1<<32-1, "instructions skipped"))
	r.Steps = uint32(d.Max(1<<32-1, "steps"))
	r.TopOfStack, r.BehindFrame = d.Uint(), d.Uint()
	next := uint64(0)
	for range d.Count(2) {
		n := next + uint64(d.Int())
		if n >= uint64(len(p.insns)) {
			d.Fail(fmt.Errorf("instruction number %d, and there are %d instructions", n, len(p.insns)))
			break
		}
		next = n + 1
		r.Tuples = append(r.Tuples, Tuple{Insn: p.insns[n]})
		t := &r.Tuples[len(r.Tuples)-1]
		t.Known = Fields(d.Max(uint64(AllFields), "set of known fields"))
		for _, f := range t.words() {
			if t.Known&f.field != 0 {
				*f.word = d.Uint()
			}
		}
		if t.Known&Taken != 0 {
			t.Taken = d.Max(1, "branch outcome") == 1
		}
	}
	p.left--
	if !d.OK() || p.left == 0 {
		if p.err = d.Finish(); p.err != nil {
			return
		}
	}
	p.read++
}
