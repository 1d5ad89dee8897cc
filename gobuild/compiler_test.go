package gobuild

import (
	"bytes"
	"strings"
	"testing"
)

// Without the source of the compiler, the build goes on with the compiler of the Go
// installation, and says so, unless the user insists.
func TestWithoutTheSourceOfTheCompiler(t *testing.T) {
	for _, test := range []struct {
		inline string
		note   bool // printed
		err    string
	}{
		{"", true, ""},
		{"less", false, ""},
		{"same", false, "-pepinline=same: "},
	} {
		b := &build{args: &Args{Inline: test.inline}, goCmd: "go"}
		var stderr bytes.Buffer
		b.stderr = &stderr
		if err := b.readEnv(); err != nil {
			t.Fatal(err)
		}
		b.env["GOROOT"] = t.TempDir()
		err := b.findCompiler(t.TempDir())
		if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("-pepinline=%s: %v, want %s", test.inline, err, test.err)
		}
		if b.compiler != nil {
			t.Errorf("-pepinline=%s: the compiler %s", test.inline, b.compiler.Path)
		}
		if note := strings.Contains(stderr.String(), ".go: no such file"); note != test.note {
			t.Errorf("-pepinline=%s prints %q", test.inline, &stderr)
		}
	}
}
