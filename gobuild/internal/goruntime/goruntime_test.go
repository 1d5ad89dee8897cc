package goruntime_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/internal/goruntime"
	"github.com/pepgo/pep/internal/goruntimetest"
)

// Goroutines have places of their own, which they keep, and which are zero at
// first.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	replaced := filepath.Join(dir, "other.txt")
	main := filepath.Join(dir, "main.go")
	write(t, replaced, "package main\n\nconst hello = \"replaced\"\n")
	write(t, filepath.Join(dir, "const.go"), "package main\n\nconst hello = \"as it was\"\n")
	write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	write(t, main, `package main

import (
	"fmt"
	"runtime"
	"sync"
)

func main() {
	var lock sync.Mutex
	places := map[*uintptr]int{}
	var wg, all sync.WaitGroup
	all.Add(100)
	for i := range 100 {
		wg.Go(func() {
			p := runtime.PepNext()
			if *p != 0 {
				panic("not zero")
			}
			*p = uintptr(i)
			lock.Lock()
			places[p]++
			lock.Unlock()
			all.Done()
			all.Wait()
			if q := runtime.PepNext(); q != p || *q != uintptr(i) {
				panic("another place")
			}
		})
	}
	wg.Wait()
	fmt.Println(len(places), hello)
}
`)
	user := filepath.Join(dir, "user.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(dir, "const.go"): replaced}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, user, string(text))
	overlay, err := goruntime.Overlay(goruntimetest.Root(t), filepath.Join(dir, "cache"), user)
	if err != nil {
		t.Fatal(err)
	}
	again, err := goruntime.Overlay(goruntimetest.Root(t), filepath.Join(dir, "cache"), user)
	if err != nil || again != overlay {
		t.Errorf("a second time %s, %v, want %s", again, err, overlay)
	}
	cmd := exec.Command("go", "run", "-overlay="+overlay, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "100 replaced\n" {
		t.Errorf("%v, %q", err, out)
	}
}

func TestOverlayProblems(t *testing.T) {
	dir := t.TempDir()
	malformed, strange := filepath.Join(dir, "malformed.json"), filepath.Join(dir, "strange.json")
	write(t, malformed, "Replace:")
	write(t, filepath.Join(dir, "strange.go"), "package runtime\n\ntype m struct{}\n")
	text, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(goruntimetest.Root(t), "src", "runtime", "runtime2.go"): filepath.Join(dir, "strange.go")},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, strange, string(text))
	for user, want := range map[string]string{
		malformed:                  "-overlay=" + malformed,
		filepath.Join(dir, "none"): "no such file",
		strange:                    "strange.go: no struct type g",
	} {
		if _, err := goruntime.Overlay(goruntimetest.Root(t), dir, user); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", user, err, want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
