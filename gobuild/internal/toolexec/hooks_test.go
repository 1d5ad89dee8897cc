package toolexec_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

const hooked = `package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

func main() {
	p := sync.Pool{New: func() any { return new([64]byte) }}
	for range 20 {
		p.Put(p.Get())
		<-time.After(time.Millisecond)
		runtime.GC()
	}
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { fmt.Println("done"); close(done) })
	<-done
}
`

// STRAT-25: functions that the Go runtime calls by itself hold neither polls nor
// taps, and the site tables say why.
func TestHooksOfTheRuntimeAreSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 20 s")
	}
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": hooked, "go.mod": "module hooked\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ours := regexp.MustCompile(`0pep/core`) // a call of ours
	for _, flags := range [][]string{
		{"-pepmode=polls", "-peptaps=args,results,entries,returns"},
		{"-pepmode=exact", "-peptaps=loads,args"},
	} {
		prog := pepbuildtest.Program(t, dir, append(flags, "-peppkg=.,sync,time")...)
		out, err := exec.Command("go", "tool", "objdump", "-s", `^(sync|time)\.`, prog).Output()
		if err != nil {
			t.Fatal(err)
		}
		code := map[string]string{}
		for _, f := range strings.Split("\n"+string(out), "\nTEXT ") {
			name, text, _ := strings.Cut(f, "(SB) ")
			code[name] = text
		}
		skipped := map[string]bool{}
		for _, pkg := range pepbuildtest.SiteTables(t, prog) {
			for _, l := range pkg.Skipped {
				if strings.HasPrefix(l.Reason, "the runtime calls it") {
					skipped[l.Name] = true
					if ours.MatchString(code[l.Name]) {
						t.Errorf("%q: %s is instrumented: %s", flags, l.Name, ours.FindString(code[l.Name]))
					}
				}
			}
			for _, tap := range pkg.Taps {
				if skipped[tap.Func] {
					t.Errorf("%q: a tap in %s", flags, tap.Func)
				}
			}
		}
		for _, name := range []string{"sync.poolCleanup", "time.sendTime", "time.goFunc", "time.Now"} {
			if !skipped[name] || code[name] == "" {
				t.Errorf("%q: %s is not skipped, or has no code", flags, name)
			}
		}
		for _, name := range []string{"sync.(*Pool).Get", "time.NewTimer"} {
			if !ours.MatchString(code[name]) {
				t.Errorf("%q: %s is not instrumented", flags, name)
			}
		}
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); string(out) != "done\n" || err != nil {
			t.Errorf("%q: %s%v", flags, out, err)
		}
	}
}
