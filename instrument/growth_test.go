package instrument_test

import (
	"fmt"
	"go/importer"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
)

// Four times as many functions in a file take about four times the memory, and not sixteen times.
// Generated files have thousands.
func TestMemoryGrowsWithTheSource(t *testing.T) {
	allocated := func(functions int) uint64 {
		var src strings.Builder
		src.WriteString("package p\n")
		for i := range functions {
			fmt.Fprintf(&src, "func f%d(x int) int { if x > %d { return f%d(x-1) }; return x }\n",
				i, i, (i+1)%functions)
		}
		file := filepath.Join(t.TempDir(), "in.go")
		if err := os.WriteFile(file, []byte(src.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pkg := &instrument.Package{
			Path: "p", Files: []string{file}, Importer: importer.Default(), CorePath: "0pep/core",
		}
		opts := instrument.Options{Ends: rewrite.Poll}
		if _, err := instrument.Do(pkg, opts); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, big := allocated(1000), allocated(4000)
	if big > 6*small {
		t.Errorf("1000 functions allocate %d bytes, 4000 functions %d", small, big)
	}
}
