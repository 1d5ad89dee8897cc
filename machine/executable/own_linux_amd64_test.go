package executable

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// These tests read their own executable.

// tapPC is what code of the first tap of package main loads.
const tapPC = 0x3ea90e208000000

var tapped uint64

//go:noinline
func tapIt() { tapped = tapPC }

func TestReadLayout(t *testing.T) {
	if first := tuple.New(tuple.Load, tuple.SiteBase("main"), 0).PC; first != tapPC {
		t.Fatalf("the PC of the first tap is %#x: change tapPC", first)
	}
	tapIt()
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	p := &wire.Package{Path: "main", Files: []string{"x.go"},
		Taps: []wire.Tap{{Tag: uint8(tuple.Load), Expr: "x"}, {Tag: uint8(tuple.Store), Expr: "never"}}}
	l, err := ReadLayout(exe, &File{Build: [8]byte{7}, Packages: []*wire.Package{p}})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, x := range l.Places {
		if x.PC != tapPC || x.Package != p || x.Tap != &p.Taps[0] {
			t.Errorf("%+v", x)
		}
		if f := runtime.FuncForPC(uintptr(x.Addr)); f != nil && f.Entry() == reflect.ValueOf(tapIt).Pointer() {
			found++
		}
	}
	if found != 1 || l.Absent != 1 || l.Build[0] != 7 {
		t.Errorf("%d of %d places are in the function with the tap, %d taps are absent; want one and one", found,
			len(l.Places), l.Absent)
	}
}

func TestFunctions(t *testing.T) {
	list, err := Functions("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Function{}
	for _, f := range list {
		if got[f.Name] = f; f.Size == 0 && !strings.HasPrefix(f.Name, "go:") {
			t.Errorf("%+v", f)
		}
	}
	mine, assembly := got[reflect.TypeFor[File]().PkgPath()+".tapIt"], got["runtime.memmove"]
	if mine.Size == 0 || mine.Size > 200 || mine.Assembly || assembly.Size < 500 || !assembly.Assembly {
		t.Errorf("among %d functions: %+v, %+v", len(got), mine, assembly)
	}
}
