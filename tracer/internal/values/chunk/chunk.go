// Package chunk frames the files that the tracer writes: recordings and databases.
//
//	w := chunk.NewWriter(file, "pepVRUNS", 1)
//	w.Write('H', body) // errors are kept
//	err := w.Err()
//
//	r, err := chunk.NewReader(file, "pepVRUNS", 1)
//	kind, body, err := r.Next() // 'H', body, nil; then io.ErrUnexpectedEOF if the file ends here
//
// A file is a name of eight bytes, which says what it is, a version (1 byte), and chunks:
//
//	chunk    kind (1 byte), size of the body (32 bits), body,
//	         CRC-32 (IEEE) of kind, size and body (32 bits)
//
// Numbers of fixed size are little-endian. In bodies a number is an unsigned varint of package
// encoding/binary, a signed number a signed one, and a string is its length, a number, and its
// bytes. The last chunk has the kind 'E', so a file that was cut off is recognised.
//
// A body has at most [MaxBody] bytes. So a reader of a file from elsewhere needs no more
// memory than what it makes of one body. [Decoder] takes a body apart and checks every length.
//
// Traces of taps have the same frames; package format/trace specifies them, and is written for
// programs that cannot use the standard library.
package chunk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// MaxBody is how many bytes a body can have.
const MaxBody = 1 << 20

// End is the kind of the last chunk.
const End = 'E'

const headBytes = 1 + 4

// A Writer writes chunks. After an error it writes nothing.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// NewWriter writes the beginning of a file. The name has eight bytes.
func NewWriter(w io.Writer, name string, version byte) *Writer {
	c := &Writer{w: w}
	_, c.err = w.Write(append([]byte(name), version))
	return c
}

// Write writes a chunk.
func (w *Writer) Write(kind byte, body []byte) {
	if len(body) > MaxBody && w.err == nil {
		w.err = fmt.Errorf("a chunk %c of %d bytes, at most %d are possible", kind, len(body), MaxBody)
	}
	if w.err != nil {
		return
	}
	w.buf = append(w.buf[:0], kind)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(body)))
	w.buf = append(w.buf, body...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.ChecksumIEEE(w.buf))
	_, w.err = w.w.Write(w.buf)
}

// Err returns the first error of writing.
func (w *Writer) Err() error { return w.err }

// A Reader reads chunks.
type Reader struct {
	r   io.Reader
	buf []byte
}

// NewReader reads the beginning of a file and checks its name and version.
func NewReader(r io.Reader, name string, version byte) (*Reader, error) {
	head := make([]byte, len(name)+1)
	if _, err := io.ReadFull(r, head); err != nil && !isEnd(err) {
		return nil, err
	}
	if string(head[:len(name)]) != name {
		return nil, fmt.Errorf("begins with %q, want %q", head[:len(name)], name)
	}
	if v := head[len(name)]; v != version {
		return nil, fmt.Errorf("version %d of the format, this program reads version %d: sample or record again", v, version)
	}
	return &Reader{r: r}, nil
}

// Next returns the next chunk, until the caller has had the chunk End. The body is valid until the next
// call. If the file ends before a chunk is complete, the error is io.ErrUnexpectedEOF.
func (r *Reader) Next() (kind byte, body []byte, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return 0, nil, unexpected(err)
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > MaxBody {
		return 0, nil, fmt.Errorf("a chunk %q of %d bytes, at most %d are possible", head[0], size, MaxBody)
	}
	r.buf = append(r.buf[:0], head[:]...)
	r.buf = append(r.buf, make([]byte, int(size)+4)...)
	if _, err := io.ReadFull(r.r, r.buf[headBytes:]); err != nil {
		return 0, nil, unexpected(err)
	}
	data, sum := r.buf[:headBytes+int(size)], r.buf[headBytes+int(size):]
	if got, want := crc32.ChecksumIEEE(data), binary.LittleEndian.Uint32(sum); got != want {
		return 0, nil, fmt.Errorf("the checksum of a chunk %q is %#08x, want %#08x", head[0], got, want)
	}
	if head[0] == End {
		if n, err := r.r.Read(make([]byte, 1)); n > 0 {
			return 0, nil, errors.New("more bytes after the end")
		} else if err != nil && err != io.EOF {
			return 0, nil, err
		}
	}
	return head[0], data[headBytes:], nil
}

func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

func unexpected(err error) error {
	if isEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// AppendString appends a string to a body.
func AppendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A Decoder takes a body apart. After an error it returns zeros.
type Decoder struct {
	b   []byte
	err error
}

// NewDecoder returns a decoder of body.
func NewDecoder(body []byte) *Decoder { return &Decoder{b: body} }

var errShort = errors.New("a chunk ends too early")

// Uint returns the next number.
func (d *Decoder) Uint() uint64 {
	u, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.Fail(errShort)
		return 0
	}
	d.b = d.b[n:]
	return u
}

// Max returns the next number, which is at most max; what names it in the error.
func (d *Decoder) Max(max uint64, what string) uint64 {
	u := d.Uint()
	if u > max {
		d.Fail(fmt.Errorf("%s %d, want at most %d", what, u, max))
		return 0
	}
	return u
}

// Int returns the next signed number.
func (d *Decoder) Int() int64 {
	i, n := binary.Varint(d.b)
	if n <= 0 {
		d.Fail(errShort)
		return 0
	}
	d.b = d.b[n:]
	return i
}

// Count returns the next number, which counts things of at least size bytes each that follow.
func (d *Decoder) Count(size int) int {
	n := d.Uint()
	if n > uint64(len(d.b)/size) {
		d.Fail(fmt.Errorf("%d things in a chunk that has %d bytes left", n, len(d.b)))
		return 0
	}
	return int(n)
}

// Bytes returns the next string. The bytes are those of the body.
func (d *Decoder) Bytes() []byte {
	n := d.Count(1)
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

// String returns the next string.
func (d *Decoder) String() string { return string(d.Bytes()) }

// Fail makes err the error of the decoder, if it has none.
func (d *Decoder) Fail(err error) {
	if d.err == nil {
		d.err, d.b = err, nil
	}
}

// OK reports whether there was no error so far.
func (d *Decoder) OK() bool { return d.err == nil }

// Finish returns the first error. Bytes that nobody has taken are an error, too.
func (d *Decoder) Finish() error {
	if d.err == nil && len(d.b) > 0 {
		return fmt.Errorf("%d bytes too many in a chunk", len(d.b))
	}
	return d.err
}
