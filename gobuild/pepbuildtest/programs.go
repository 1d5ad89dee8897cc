package pepbuildtest

// This file builds and runs programs, and reads their profiles.

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	pprof "github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

// SkipUnlessLinux skips a test of what the portable runtime does not have.
func SkipUnlessLinux(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("tuples are printed on linux only")
	}
}

// Write writes a file.
func Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Extract writes the files of an archive to a directory of their own, which is a module.
func Extract(t testing.TB, a *txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range append(a.Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/taps\n\ngo 1.26\n")}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		Write(t, name, string(f.Data))
	}
	return dir
}

// Program builds the module in dir with pepbuild and returns the file of the program.
func Program(t testing.TB, dir string, flags ...string) (prog string) {
	t.Helper()
	prog = filepath.Join(t.TempDir(), "prog")
	cmd := exec.Command(Pepbuild(t), slices.Concat([]string{"build"}, flags, []string{"-o", prog, "."})...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return prog
}

// SiteTables returns the site tables of a program.
func SiteTables(t testing.TB, prog string) []*wire.Package {
	t.Helper()
	f, err := executable.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	return f.Packages
}

// Profiles runs a program and returns the profiles that it writes, by their kind.
func Profiles(t testing.TB, prog, opts string, args ...string) (files map[string]*profile.File) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(prog, args...)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS="+opts)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]*profile.File{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := new(profile.Reader).Parse(name, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		files[string(f.Kind)] = f
	}
	return files
}

// Pprof reads the only profile of a kind in a directory, as package profile of pprof has it, without samples of CPU
// time.
func Pprof(t testing.TB, dir, kind string) *pprof.Profile {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*."+kind+".pb.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want a profile of %s, got %q", kind, files)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	p.Sample = slices.DeleteFunc(p.Sample, func(s *pprof.Sample) bool { return slices.Contains(s.Label["path"], "tick") })
	return p
}

// Facts reads the facts of a profile. They are its only comment.
func Facts(t testing.TB, p *pprof.Profile) facts.List {
	t.Helper()
	if len(p.Comments) != 1 || !facts.In(p.Comments[0]) {
		t.Fatalf("want facts, got %q", p.Comments)
	}
	f, problem := facts.Decode(p.Comments[0])
	if problem != "" {
		t.Fatalf("%s: %s", p.Comments[0], problem)
	}
	return f
}
