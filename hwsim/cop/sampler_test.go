package cop_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/asm"
)

var update = flag.Bool("update", false, "write sampler.go")

// The built-in program is what the assembler makes of its source.
func TestCOP13_BuiltInProgramIsAssembled(t *testing.T) {
	source, err := os.ReadFile("asm/programs/sampler.s")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.Assemble("sampler.s", string(source))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		old, err := os.ReadFile("sampler.go")
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(old), "`")
		if err := os.WriteFile("sampler.go", []byte(head+"`"+p.Image.Text()+"`\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := p.Image.Text(); got != cop.SamplerImage {
		t.Errorf("go test ./hwsim/cop -run Assembled -update: the source is assembled to\n%s", got)
	}
}
