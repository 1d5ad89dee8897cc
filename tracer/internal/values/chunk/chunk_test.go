package chunk_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/values/chunk"
)

// small is a file of one chunk with the body "abc", and the end.
func small() []byte {
	var b bytes.Buffer
	w := chunk.NewWriter(&b, "pepTESTS", 3)
	w.Write('X', []byte("abc"))
	w.Write(chunk.End, nil)
	return b.Bytes()
}

func TestBytesOfAFile(t *testing.T) {
	// The checksums are those of Python's zlib.crc32.
	want := "pepTESTS\x03" + "X\x03\x00\x00\x00abc" + "W\xb5l\x18" + "E\x00\x00\x00\x00" + "$ 1V"
	if got := string(small()); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestReader(t *testing.T) {
	r, err := chunk.NewReader(bytes.NewReader(small()), "pepTESTS", 3)
	if err != nil {
		t.Fatal(err)
	}
	kind, body, err := r.Next()
	if kind != 'X' || string(body) != "abc" || err != nil {
		t.Errorf("got %c, %q, %v, want X, abc", kind, body, err)
	}
	kind, body, err = r.Next()
	if kind != chunk.End || len(body) > 0 || err != nil {
		t.Errorf("got %c, %q, %v, want the end", kind, body, err)
	}
}

// read reads a file to its end, and returns its first error.
func read(data []byte) error {
	r, err := chunk.NewReader(bytes.NewReader(data), "pepTESTS", 3)
	for err == nil {
		var kind byte
		if kind, _, err = r.Next(); kind == chunk.End && err == nil {
			return nil
		}
	}
	return err
}

func TestFilesThatAreNotWhole(t *testing.T) {
	whole := small()
	for n := range whole {
		if read(whole[:n]) == nil {
			t.Errorf("the first %d bytes of %d are read without an error", n, len(whole))
		}
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[n] ^= 1 << bit
			if read(bad) == nil {
				t.Errorf("a file with bit %d of byte %d flipped is read without an error", bit, n)
			}
		}
	}
	for _, c := range []struct{ name, data, want string }{
		{"an empty file", "", `begins with "`},
		{"another file", "PK\x03\x04 and so on", `begins with "PK`},
		{"another version", strings.Replace(string(whole), "S\x03", "S\x04", 1),
			"version 4 of the format, this program reads version 3"},
		{"a huge chunk", "pepTESTS\x03X\xff\xff\xff\xff", "of 4294967295 bytes"},
		{"two files", string(whole) + string(whole), "more bytes after the end"},
	} {
		if err := read([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
	if err := read(whole[:len(whole)-1]); err != io.ErrUnexpectedEOF {
		t.Errorf("a file that is cut off: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestWriterKeepsItsFirstError(t *testing.T) {
	w := chunk.NewWriter(io.Discard, "pepTESTS", 3)
	w.Write('X', make([]byte, chunk.MaxBody))
	if w.Err() != nil {
		t.Error(w.Err())
	}
	w.Write('X', make([]byte, chunk.MaxBody+1))
	w.Write('X', nil)
	if w.Err() == nil || !strings.Contains(w.Err().Error(), "1048577 bytes") {
		t.Errorf("got %v, want an error about 1048577 bytes", w.Err())
	}
	if w := chunk.NewWriter(broken{}, "pepTESTS", 3); !errors.Is(w.Err(), errBroken) {
		t.Errorf("got %v, want %v", w.Err(), errBroken)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestDecoder(t *testing.T) {
	b := binary.AppendUvarint(nil, 300)
	b = binary.AppendVarint(b, -7)
	b = chunk.AppendString(b, "name")
	b = binary.AppendUvarint(b, 9)
	d := chunk.NewDecoder(b)
	if u, i, s, m := d.Uint(), d.Int(), d.String(), d.Max(9, "size"); u != 300 || i != -7 || s != "name" || m != 9 {
		t.Errorf("got %d, %d, %q, %d, want 300, -7, name, 9", u, i, s, m)
	}
	if err := d.Finish(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name, body string
		take       func(d *chunk.Decoder)
		want       string
	}{
		{"a number that is missing", "", func(d *chunk.Decoder) { d.Uint() }, "ends too early"},
		{"a number that does not end", "\xff\xff", func(d *chunk.Decoder) { d.Uint() }, "ends too early"},
		{"a number of more than 64 bits", strings.Repeat("\xff", 10) + "\x01", func(d *chunk.Decoder) { d.Int() },
			"ends too early"},
		{"a string that is longer than the body", "\x04abc", func(d *chunk.Decoder) { _ = d.String() },
			"4 things in a chunk that has 3 bytes left"},
		{"too many things", "\x02abc", func(d *chunk.Decoder) { d.Count(2) }, "2 things in a chunk that has 3 bytes left"},
		{"too large a number", "\x09", func(d *chunk.Decoder) { d.Max(8, "size") }, "size 9, want at most 8"},
		{"bytes left over", "abc", func(d *chunk.Decoder) { d.Uint() }, "2 bytes too many"},
	} {
		d := chunk.NewDecoder([]byte(c.body))
		c.take(d)
		if err := d.Finish(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}
