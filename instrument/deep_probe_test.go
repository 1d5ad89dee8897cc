package instrument_test

import (
	"cmp"
	"fmt"
	"go/importer"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano())
}

func TestProbe(t *testing.T) {
	all, _ := tap.ParseKinds("all")
	want := os.Getenv("FORM")
	modes := os.Getenv("MODES")
	for _, f := range forms {
		if want != "" && f.name != want {
			continue
		}
		for _, m := range []string{"cover", "exact", "sample", "taps", "bursts", "follow"} {
			if modes != "" && modes != m {
				continue
			}
			line := fmt.Sprintf("%-36s %-7s", f.name, m)
			var first time.Duration
			for _, n := range sizes() {
				file := filepath.Join(t.TempDir(), "in.go")
				os.WriteFile(file, []byte(f.text(n)), 0o666)
				pkg := &instrument.Package{Path: "p", Files: []string{file}, Importer: importer.Default(), CorePath: "0pep/core"}
				opts := instrument.Options{Mode: rewrite.Sample, FreeInlining: true}
				switch m {
				case "cover":
					opts.Mode, opts.Numbers = rewrite.Cover, pathnum.Options{Truncate: pathnum.Rest}
				case "exact":
					opts.Mode, opts.FreeInlining = rewrite.Exact, false
				case "taps":
					opts.Taps.Kinds = all
				case "bursts":
					opts.Taps.Kinds, opts.Burst = all, true
				}
				c := cpu()
				var err error
				var res *instrument.Result
				if m == "follow" {
					_, err = instrument.Follow(pkg)
				} else {
					res, err = instrument.Do(pkg, opts)
				}
				c = cpu() - c
				size := 0
				skipped := 0
				if res != nil {
					for _, s := range res.Text {
						size += len(s)
					}
					skipped = len(res.Sites.Skipped)
				}
				line += fmt.Sprintf(" %6dms(%dk,%d)", c.Milliseconds(), size/1000, skipped)
				if err != nil {
					line += fmt.Sprintf(" ERR %.80s", err)
					break
				}
				if first == 0 {
					first = c
				}
				if c > 4*time.Second {
					break
				}
			}
			fmt.Println(line)
		}
	}
}

func sizes() (list []int) {
	for s := range strings.SplitSeq(cmp.Or(os.Getenv("SIZES"), "500,1000,2000"), ",") {
		n, _ := strconv.Atoi(s)
		list = append(list, n)
	}
	return list
}
