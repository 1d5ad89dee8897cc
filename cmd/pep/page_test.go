package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestHTMLWritesBesideTheFirstFile(t *testing.T) {
	dir := t.TempDir()
	if err := makeExample(dir); err != nil {
		t.Fatal(err)
	}
	paths := filepath.Join(dir, "app.71.paths.pb.gz")
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := pep.Run(append([]string{"html"}, args...), nil, &stdout, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		return stdout.String()
	}
	name := filepath.Join(dir, "app.html")
	if got, want := run(paths), name+" has the page; open it in a browser\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := run("-o", "-", paths); got != string(data) {
		t.Errorf("-o - writes another page, of %d bytes, not %d", len(got), len(data))
	}
}
