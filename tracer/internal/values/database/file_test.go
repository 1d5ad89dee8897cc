package database_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/mutant"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/chunk"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

func TestFileNames(t *testing.T) {
	names := map[string]bool{}
	for _, image := range []capture.Image{
		{BuildID: "00ff", Path: "/bin/app"}, {BuildID: "00fe", Path: "/bin/app"},
		{BuildID: "a/b", Path: "/bin/app"}, {BuildID: "a_b", Path: "/bin/app"}, {BuildID: "a.b", Path: "/bin/app"},
		{Path: "/bin/app"}, {Path: "/usr/bin/app"}, {BuildID: "../../x", Path: "../.."},
		{BuildID: strings.Repeat("f", 300), Path: strings.Repeat("x", 300)},
	} {
		name := (&database.Binary{Image: &image}).FileName()
		if names[name] || len(name) > 140 || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, ".") ||
			!strings.HasSuffix(name, ".hotlists") {
			t.Errorf("%+v: the name %q is taken, too long or no name", image, name)
		}
		names[name] = true
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := database.Open(dir); err == nil || !strings.Contains(err.Error(), "has no files *.hotlists") {
		t.Errorf("an empty directory: got error %v", err)
	}
	name := filepath.Join(dir, "x.hotlists")
	if _, err := database.Open(name); err == nil {
		t.Error("no file: got no error")
	}
	if err := os.WriteFile(name, []byte("no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := database.Open(name); err == nil ||
		!strings.Contains(err.Error(), `x.hotlists: database: begins with "no datab", want "pepVHOTL"`) {
		t.Errorf("another file: got error %v", err)
	}
}

func TestFilesThatAreNotWhole(t *testing.T) {
	data := encode(t, collect(t, someRuns(1, 30, 1, 100), parity{}))
	for n := range data {
		if _, err := database.Read(bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("the first %d bytes of %d are read without an error", n, len(data))
		}
		bad := bytes.Clone(data)
		bad[n] ^= 1 << (n % 8)
		if _, err := database.Read(bytes.NewReader(bad)); err == nil {
			t.Fatalf("a file with byte %d changed is read without an error", n)
		}
	}
}

// file returns a file with a header of the kinds "a" and "b", a group, the given chunk, and the end.
func file(kind byte, body []byte) []byte {
	var b bytes.Buffer
	w := chunk.NewWriter(&b, "pepVHOTL", 2)
	w.Write('H', []byte("\x02id\x04path\x01\x02\x03\x00\x02\x01a\x01b"))
	w.Write('G', []byte("\x00\x05"))
	w.Write(kind, body)
	w.Write(chunk.End, []byte{1, 1})
	return b.Bytes()
}

func numbers(list ...uint64) (b []byte) {
	for _, u := range list {
		b = binary.AppendUvarint(b, u)
	}
	return b
}

func TestBadChunks(t *testing.T) {
	// A location at 0x401000 with 5 interrupts, and what follows.
	at := func(list ...uint64) []byte {
		return numbers(append([]uint64{1, 0x401000, 1, 0x10, 0, 0, 0, 0, 0, 0, 5}, list...)...)
	}
	twice := append(numbers(2), append(at(1, 0, 0, 1, 1, 0, 7, 1)[1:], at(0)[1:]...)...)
	for _, c := range []struct {
		name string
		kind byte
		body []byte
		want string
	}{
		{"a list", 'L', at(1, 0, 0, 3, 2, 0, 7, 2, 0, 8, 1), ""},
		{"a kind that is not there", 'L', at(1, 2, 0, 1, 1, 0, 7, 1), "kind of value 2, and there are 2"},
		{"a kind twice", 'L', at(2, 1, 0, 1, 1, 0, 7, 1, 1, 0, 1, 1, 0, 7, 1), "two lists of b at 0x401000"},
		{"a location twice", 'L', twice, "two locations at 0x401000"},
		{"counts that do not add up", 'L', at(1, 0, 0, 4, 2, 0, 7, 2, 0, 8, 1),
			"a at 0x401000: hotlist: level 0, counts add up to 3"},
		{"a level that is too high", 'L', at(1, 0, 501, 4, 1, 0, 7, 2), "level 501"},
		{"a huge total", 'L', at(1, 0, 3, 1<<40, 1, 0, 7, 2), "a total of 1099511627776"},
		{"more values than bytes", 'L', at(1, 0, 3, 5, 1<<50), "1125899906842624 things"},
		{"seventeen values", 'L', at(append([]uint64{1, 0, 3, 100, 17}, make([]uint64, 17*3)...)...), "17 values"},
		{"too few bytes", 'L', at(1, 0, 0), "1 things in a chunk that has 2 bytes left"},
		{"a group twice", 'G', []byte("\x00\x05"), "two groups"},
		{"labels that are none", 'G', []byte("\x01x\x05"), `labels "x": want`},
		{"an unknown kind", 'Q', nil, "a chunk of the kind 'Q'"},
		{"no list, and an end that counts one", 'L', at(0), "the file has 0 lists, its end says 1"},
		{"no location", 'L', numbers(0), "the file has 0 locations, its end says 1"},
	} {
		_, err := database.Read(bytes.NewReader(file(c.kind, c.body)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// The mutants of a database, in which all checksums are right, are read, or there is an error. What is
// read is written and merged.
func TestMutants(t *testing.T) {
	mutant.Chunks(t, encode(t, collect(t, someRuns(1, 30, 2, 100), parity{})), func(data []byte) bool {
		db, err := database.Read(bytes.NewReader(data))
		if err != nil {
			return false
		}
		encode(t, db)
		if err := database.New().Merge(db); err != nil {
			t.Error(err)
		}
		return true
	})
}

// FuzzRead reads files with a chunk of any bytes. What is read without an error is written
// and read again.
func FuzzRead(f *testing.F) {
	f.Add(byte('L'), numbers(1, 0x401000, 1, 0x10, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 3, 2, 0, 7, 2, 0, 8, 1))
	f.Add(byte('E'), []byte{0, 0})
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		if len(body) > chunk.MaxBody {
			return
		}
		db, err := database.Read(bytes.NewReader(file(kind, body)))
		if err != nil {
			return
		}
		first := encode(t, db)
		again, err := database.Read(bytes.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, encode(t, again)) {
			t.Error("a file that was read and written is another one when it is read and written again")
		}
	})
}
