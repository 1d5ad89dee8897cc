package images_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/images"
)

var update = flag.Bool("update", false, "write the images of the built-in programs")

// The built-in programs are those of asm/programs, and each is what the assembler makes of its source.
func TestCOP13_BuiltInProgramsAreAssembled(t *testing.T) {
	var names []string
	for _, file := range coptest.Programs(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".s")
		names = append(names, name)
		got := coptest.Image(t, coptest.Source(t, name))
		if *update {
			writeImage(t, name, got)
			continue
		}
		if text, _ := images.Find(name); got != text {
			t.Errorf("go test ./hwsim/cop/images -run Assembled -update: %s is assembled to\n%s", file, got)
		}
	}
	if built := images.Names(); !slices.Equal(slices.Sorted(slices.Values(built)), names) {
		t.Errorf("the table of images has %v, and asm/programs has the sources of %v", built, names)
	}
}

// writeImage writes the file with the constant of an image.
func writeImage(t *testing.T, name, text string) {
	constant := "image" + strings.ToUpper(name[:1]) + name[1:]
	source := "package images\n\n// " + constant + " is assembled from ../asm/programs/" + name + ".s:\n" +
		"// go test ./hwsim/cop/images -run Assembled -update\nconst " + constant + " = `" + text + "`\n"
	if err := os.WriteFile(name+".go", []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
}
