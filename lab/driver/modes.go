package driver

// This file knows the modes of builds, and what runs of them leave.

import (
	"fmt"
	"path/filepath"

	"github.com/pepgo/pep/format/schema"
)

// Modes whose programs are treated in another way.
const (
	Plain   = "plain"   // the go command builds them
	Windows = "windows" // ticks interpret them, and instrumented are all packages
	Wrong   = "wrong"   // nothing is instrumented, and the compiler gets random counts of branches
)

// Command returns the command that builds or tests in a mode, and its flags. Packages, as for -peppkg, are
// instrumented if the mode lets one choose; "" are those that pepbuild chooses.
func Command(pepbuild, mode, packages string) (name string, flags []string, err error) {
	switch mode {
	case Plain:
		return "go", nil, nil
	case "polls", "exact", "cover":
		flags = []string{"-pepmode=" + mode}
	case "backedge":
		flags = []string{"-pepmode=polls", "-peptruncate=backedge"}
	case "taps":
		flags = []string{"-pepmode=polls", "-peptaps=all"}
	case Windows:
		return pepbuild, []string{"-pepmode=windows"}, nil
	case Wrong:
		return pepbuild, []string{"-pepopt=random:1"}, nil
	default:
		return "", nil, fmt.Errorf("mode %q: there are %s, polls, exact, cover, backedge, taps, %s and %s", mode, Plain,
			Windows, Wrong)
	}
	if packages != "" {
		flags = append(flags, "-peppkg="+packages)
	}
	return pepbuild, flags, nil
}

// Profiles returns the names of the profiles of a kind that runs have left in a directory.
func Profiles(dir string, kind schema.Kind) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "*."+string(kind)+".pb.gz")) // the pattern is right
	return names
}

// Profile returns the name of the only profile of a kind in a directory.
func Profile(dir string, kind schema.Kind) (string, error) {
	names := Profiles(dir, kind)
	if len(names) != 1 {
		return "", fmt.Errorf("%d profiles of %s of one run, want 1", len(names), kind)
	}
	return names[0], nil
}
