//go:build linux && amd64

package image

import (
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var executables = flag.String("executables", "",
	"executables to measure, separated by commas (default: the go command)")

// The steps of reading an executable: time, and memory that is kept after it.
func BenchmarkImage(b *testing.B) {
	files := strings.Split(*executables, ",")
	if *executables == "" {
		files = []string{filepath.Join(goroot(b), "bin", "go")}
	}
	for _, file := range files {
		var im *Image
		step := func(name string, do func() error) {
			b.Run(filepath.Base(file)+"/"+name, func(b *testing.B) {
				var before, after runtime.MemStats
				for range b.N {
					b.StopTimer()
					if im == nil || name == "open" {
						im = nil
						runtime.GC()
						runtime.ReadMemStats(&before)
					}
					if im == nil && name != "open" {
						var err error
						if im, err = Open(file); err != nil {
							b.Fatal(err)
						}
					}
					b.StartTimer()
					if err := do(); err != nil && !errors.Is(err, ErrStripped) {
						b.Fatal(err)
					}
					b.StopTimer()
					runtime.GC()
					runtime.ReadMemStats(&after)
					runtime.KeepAlive(im)
					im = nil
				}
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
			})
		}
		step("open", func() (err error) { im, err = Open(file); return err })
		step("functions", func() error {
			for range im.Functions() {
			}
			return nil
		})
		step("line", func() error { im.LineCode("proc.go", 300); return nil })
		step("symbols", func() error { _, err := im.Symbols(); return err })
		step("goroutine", func() error { _, err := im.Goroutine(); return err })
		step("arguments", func() error {
			for _, fn := range im.Named("main.main") {
				if _, err := im.Subprogram(fn.Entry); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func goroot(b *testing.B) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
