package archive

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pack makes an archive as the compiler does.
func pack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "x.go"), filepath.Join(dir, "x.a")
	if err := os.WriteFile(src, []byte("package x\n\nvar X = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if b, err := exec.Command("go", "tool", "compile", "-pack", "-p", "x", "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

func TestMembersAreFound(t *testing.T) {
	a := pack(t)
	members := map[string][]byte{
		"pep.sites":       []byte("odd"),
		"empty":           {},
		"fifteenbytes.xx": bytes.Repeat([]byte{1, 0, '\n'}, 1000),
	}
	order := []string{"pep.sites", "empty", "fifteenbytes.xx"}
	for _, name := range order {
		if data, err := Find(a, name); data != nil || err != nil {
			t.Errorf("before Add, Find(%q) = %q, %v", name, data, err)
		}
		if err := Add(a, name, members[name]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range order {
		data, err := Find(a, name)
		if err != nil || data == nil || !bytes.Equal(data, members[name]) {
			t.Errorf("Find(%q) = %q, %v, want %q", name, data, err, members[name])
		}
	}
	// go tool pack reads it, and what the compiler wrote is still there.
	out, err := exec.Command("go", "tool", "pack", "t", a).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := strings.Fields(string(out)),
		append([]string{"__.PKGDEF", "_go_.o"}, order...); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("go tool pack lists %q, want %q", got, want)
	}
}

func TestBadArchives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bad.a")
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"An empty file is not an archive.", nil, "bad.a is not an archive"},
		{"Neither is a short one.", []byte("!<ar"), "bad.a is not an archive"},
		{"Neither is a program.", []byte("\x7fELF............"), "bad.a is not an archive"},
		{"What comes behind the magic must be a member.", append([]byte(magic), bytes.Repeat([]byte("x"), 80)...),
			"member at 8"},
		{"It must be all there.", []byte(magic + "pep.sites"), "member at 8"},
		{"A negative size would lead back.", member("x", "-60"), "member at 8: it has -60 bytes, the archive 68"},
		{"A size beyond the file would be allocated.", member("pep.sites", "9999999999"),
			"member at 8: it has 9999999999 bytes, the archive 68"},
	} {
		if err := os.WriteFile(name, test.data, 0o666); err != nil {
			t.Fatal(err)
		}
		data, err := Find(name, "pep.sites")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s got %q, %v, want %q", test.name, data, err, test.want)
		}
	}
	if err := Add(filepath.Join(t.TempDir(), "none.a"), "x", nil); err == nil {
		t.Error("Add makes an archive where there is none")
	}
}

// A member that is longer than the file is an error.
func TestTruncatedMember(t *testing.T) {
	a := pack(t)
	if err := Add(a, "pep.sites", make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(a, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	if data, err := Find(a, "pep.sites"); err == nil {
		t.Errorf("got %d bytes and no error", len(data))
	}
}

// member is an archive with a header that says whatever size, and no data.
func member(name, size string) []byte {
	return fmt.Appendf([]byte(magic), "%-16s%-12d%-6d%-6d%-8o%-10s`\n", name, 0, 0, 0, 0o644, size)
}

// FuzzFind checks that Find never returns data that an archive does not hold, and that
// it finds each member that Add has added to a valid archive.
func FuzzFind(f *testing.F) {
	f.Add(member("pep.sites", "0"), []byte("table"))
	f.Add(append(member("x", "3"), "odd\x00"...), []byte(nil))
	f.Add([]byte(magic), []byte("x"))
	f.Fuzz(func(t *testing.T, data, table []byte) {
		name := filepath.Join(t.TempDir(), "x.a")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Find(name, "pep.sites")
		if err == nil && got != nil && !bytes.Contains(data, got) {
			t.Errorf("%q is not in %q", got, data)
		}
		if err != nil || got != nil || len(data)%2 != 0 {
			return
		}
		if err := Add(name, "pep.sites", table); err != nil {
			t.Fatal(err)
		}
		if got, err := Find(name, "pep.sites"); err != nil || !bytes.Equal(got, table) {
			t.Errorf("behind %q: got %q, %v, want %q", data, got, err, table)
		}
	})
}
