package goruntime_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/goruntimetest"
	"github.com/pepgo/pep/gobuild/internal/goruntime"
)

// The go command calls this binary in the place of its tools.
func TestMain(m *testing.M) {
	goruntimetest.Toolexec()
	os.Exit(m.Run())
}

// Goroutines have places of their own, which they keep, and which are zero at
// first.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	write(t, main, `package main

import (
	"fmt"
	"reflect"
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
	fmt.Println(len(places))
	for _, f := range []any{runtime.PepNext, runtime.GC} {
		f := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		name, _ := f.FileLine(f.Entry())
		fmt.Println(name)
	}
}
`)
	variants := [][]string{nil, {"-trimpath"}}
	if out, err := exec.Command("go", "env", "GOMODCACHE").Output(); err != nil {
		t.Fatal(err)
	} else if strings.HasPrefix(goruntimetest.Root(t), strings.TrimSpace(string(out))) {
		t.Log("without an overlay of the user: the go command refuses one over a toolchain that it has downloaded")
	} else {
		variants = append(variants, []string{"-overlay=" + userOverlay(t, dir)})
	}
	for _, more := range variants {
		args := slices.Concat([]string{"build", "-o", filepath.Join(dir, "main")}, goruntimetest.Flags(t), more,
			[]string{"."})
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", more, err, out)
		}
		// The edited file stands where the others do.
		out, err := exec.Command(filepath.Join(dir, "main")).CombinedOutput()
		lines := strings.Split(string(out), "\n")
		if err != nil || len(lines) != 4 || lines[0] != "100" ||
			lines[1] != filepath.Join(filepath.Dir(lines[2]), "runtime2.go") {
			t.Errorf("%v: %v, %q", more, err, out)
		}
	}
}

// userOverlay returns the name of an overlay, as a user may have it, that replaces one of the files that are edited.
func userOverlay(t *testing.T, dir string) string {
	t.Helper()
	original := filepath.Join(goruntimetest.Root(t), "src", "runtime", "proc.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(dir, "any.txt")
	write(t, replaced, string(text)+"\nconst inOverlay = 1\n")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: replaced}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "user.json")
	write(t, name, string(list))
	return name
}

// A text without the places that are edited is an error that says what is missing.
func TestUnknownSource(t *testing.T) {
	strange := []byte("package runtime\n\ntype m struct{}\n")
	want := map[string]string{
		"runtime2.go":  "no struct type g with a field m: taps need the package runtime of Go 1.26 or 1.27",
		"proc.go":      "0 statements set newg.goid, want one",
		"proflabel.go": "0 statements set getg().labels, want one",
		"stack.go":     "stack.go is not changed for taps",
	}
	for _, file := range append(goruntime.Files(), "stack.go") {
		if _, err := goruntime.Edit(file, strange); err == nil || !strings.Contains(err.Error(), want[file]) ||
			want[file] == "" {
			t.Errorf("%s: %v, want %q", file, err, want[file])
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
