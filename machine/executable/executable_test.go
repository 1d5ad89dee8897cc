//go:build unix

package executable

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pepgo/pep/format/wire"
)

const piece = 1 << 20 // bytes that input.Find reads at a time

// tables returns the site tables of a program of one package.
func tables(t testing.TB, path string) []byte {
	t.Helper()
	data, err := wire.Join(wire.AppendPackage(nil, &wire.Package{Path: path, Files: []string{"x.go"}}))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead(t *testing.T) {
	one, other := tables(t, "main"), tables(t, "example.com/other")
	header, err := wire.ReadHeader(one)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := wire.JoinPacked(one[wire.HeaderSize:])
	if err != nil {
		t.Fatal(err)
	}
	change := func(i int) []byte {
		b := bytes.Clone(one)
		b[i]++
		return b
	}
	zeros := func(n int) []byte { return make([]byte, n) }
	tests := []struct {
		name string
		file [][]byte
		err  string // empty if the table of main is found
	}{
		{"tables alone", [][]byte{one}, ""},
		{"tables amid other data", [][]byte{[]byte("\x7fELF"), one, []byte("section headers")}, ""},
		{"a constant that looks like their beginning",
			[][]byte{[]byte(wire.Magic), []byte(wire.Magic), zeros(99), one, []byte(wire.Magic)}, ""},
		{"tables across the border of two pieces", [][]byte{zeros(piece - 7), one}, ""},
		{"a magic that ends with a piece", [][]byte{zeros(piece - len(wire.Magic)), one}, ""},
		{"tables in the third piece", [][]byte{zeros(2*piece + 5), one}, ""},
		{"the same tables twice", [][]byte{one, zeros(3), one}, ""},
		{"damaged tables before those of the program", [][]byte{change(len(one) - 1), one}, ""},
		{"tables of two programs", [][]byte{one, other}, "it contains the site tables of several programs, of builds "},
		{"nothing", nil, wire.ErrNoTables.Error()},
		{"no tables", [][]byte{zeros(piece), []byte(wire.Magic)}, wire.ErrNoTables.Error()},
		{"a damaged header", [][]byte{change(20)}, wire.ErrNoTables.Error()},
		{"damaged tables", [][]byte{change(len(one) - 1)}, "site table: hash differs from the header's"},
		{"a file that is cut off", [][]byte{one[:len(one)-1]}, "site table: truncated: "},
		{"packed tables", [][]byte{zeros(9), packed, zeros(9)}, ""},
		{"damaged packed tables", [][]byte{packed[:len(packed)-1], {packed[len(packed)-1] + 1}},
			"site table: hash differs from the header's"},
	}
	for _, test := range tests {
		f, err := Read(bytes.NewReader(bytes.Join(test.file, nil)))
		if test.err != "" {
			if f != nil || err == nil || !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("%s: got %v, error %v, want %s", test.name, f, err, test.err)
			}
			continue
		}
		want := &File{Build: header.Build, Packages: []*wire.Package{{Path: "main", Files: []string{"x.go"}}}}
		if d := cmp.Diff(want, f, cmpopts.IgnoreUnexported(File{})); err != nil || d != "" {
			t.Errorf("%s: error %v, -want +got:\n%s", test.name, err, d)
		}
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app")
	if _, err := Open(name); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("no file: got error %v", err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil || err.Error() != name+": "+wire.ErrNoTables.Error() {
		t.Errorf("a script: got error %v", err)
	}
}

// Read refuses files that cannot be executables at once: a device may have no end, and a
// pipe cannot be read from its beginning.
func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, "/dev/zero"} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: for all contents of a file, Read returns an error or site tables.
func FuzzRead(f *testing.F) {
	one := tables(f, "main")
	f.Add(one)
	f.Add(append(append([]byte("\x7fELF"), one...), tables(f, "other")...))
	f.Add(one[:len(one)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data))
		if (file == nil) != (err != nil) {
			t.Errorf("%v, %v", file, err)
		}
	})
}
