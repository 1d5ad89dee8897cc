package toolexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// The words have the same 32-bit FNV-1a hash.
func TestSitesOfTwoPackagesMustDiffer(t *testing.T) {
	const one, other = "costarring", "liquid"
	if tuple.SiteBase(one) != tuple.SiteBase(other) {
		t.Fatalf("the sites of %s and %s differ", one, other)
	}
	table := func(path string, taps int) []byte {
		return wire.AppendPackage(nil, &wire.Package{Path: path, Files: []string{"x.go"}, Taps: make([]wire.Tap, taps)})
	}
	for _, test := range []struct {
		name  string
		path  string
		table []byte
		taps  int
		wrong bool
	}{
		{"another package", "main", table("main", 3), 3, false},
		{"a package without taps", other, table(other, 0), 0, false},
		{"a package that is not instrumented", other, nil, 0, false},
		{"a package with taps", other, table(other, 2), 0, true},
	} {
		tapped := map[uint64]string{}
		if _, err := checkSites(tapped, one, table(one, 1)); err != nil {
			t.Fatal(err)
		}
		taps, err := checkSites(tapped, test.path, test.table)
		if taps != test.taps || (err != nil) != test.wrong || err != nil &&
			!strings.Contains(err.Error(), "costarring and liquid have the same hash") {
			t.Errorf("%s: got %d taps, error %v", test.name, taps, err)
		}
	}
}

// Executables with other code, and without space, are refused.
func TestOtherExecutables(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads executables of this system as ELF")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if err := sameCode(self, self); err != nil {
		t.Errorf("an executable and itself: %v", err)
	}
	if err := sameCode(self, other); err == nil || !strings.Contains(err.Error(), "other code") {
		t.Errorf("another executable: %v", err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(copied, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := fillSpace(copied, 1000, []byte("tables")); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("no space: %v", err)
	}
}

// Calls keep the names of functions that are in the program and whose paths windows do not see.
func TestSeen(t *testing.T) {
	sites := &wire.Package{Path: "p", Skipped: []wire.Skipped{{Name: "p.untold"}}}
	callees := []string{"p.f", "p.untold", "runtime.memmove", "math/bits.Add64", wire.ByInterface, wire.ByValue}
	sites.Funcs = []wire.Func{{Name: "p.f"}, {Name: "p.untold"}}
	for _, c := range callees {
		sites.Funcs[0].Calls = append(sites.Funcs[0].Calls, wire.Call{Callee: c})
	}
	seen(&actions.Table{Packages: []*actions.Package{{Sites: sites}}},
		map[string]bool{"p.f": true, "p.untold": true, "runtime.memmove": true})
	want := []string{wire.Seen, "p.untold", "runtime.memmove", wire.Seen, wire.ByInterface, wire.ByValue}
	for i, c := range sites.Funcs[0].Calls {
		if c.Callee != want[i] {
			t.Errorf("a call of %s: got %q, want %q", callees[i], c.Callee, want[i])
		}
	}
}
