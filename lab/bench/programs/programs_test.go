package programs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/driver"
)

func TestProgramsByName(t *testing.T) {
	root, err := driver.Root()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Root: root}
	few, err := c.Dirs()
	if err != nil {
		t.Fatal(err)
	}
	c.More = true
	all, err := c.Dirs()
	if err != nil || len(all) < 16 || len(all) <= len(few) {
		t.Errorf("%d and %d programs, %v, want 16 or more with those of testprogs/bench", len(few), len(all), err)
	}
	c.Programs = []string{"chess", "lua"}
	if got, err := c.Dirs(); err != nil || !slices.Equal(got, []string{filepath.Join("bench", "chess"), "lua"}) {
		t.Errorf("got %q, %v", got, err)
	}
	other, err := filepath.Abs(filepath.Join(c.Root, "testprogs", "others", "shell"))
	if err != nil {
		t.Fatal(err)
	}
	c.Programs = []string{filepath.Join(c.Root, "testprogs", "others", "shell"), "lua"}
	if got, err := c.Dirs(); err != nil || !slices.Equal(got, []string{other, "lua"}) {
		t.Errorf("got %q, %v, want the absolute name of a directory", got, err)
	}
	c.Programs = []string{t.TempDir()}
	if _, err := c.Dirs(); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("got error %v, want one that asks for go.mod", err)
	}
	c.Programs = []string{"draughts"}
	if _, err := c.Dirs(); err == nil || !strings.Contains(err.Error(), "chess") {
		t.Errorf("got error %v, want one that names the programs", err)
	}
}
