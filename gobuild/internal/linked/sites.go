package linked

// This file compiles the package that holds the site tables of a program.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/runtime"
)

// SitesPath is the import path of the package that holds the site tables.
const SitesPath = runtime.LinkedPath + "sites"

const (
	sitesFile = "sites.go" // the one file of the package
	sitesArgs = "args"     // name of the file that says how it was compiled
)

// Sites compiles the package that holds the site tables with tables in it, into an archive that
// takes the place of the one in the linked runtime that Build made.
//
// The file importcfg is what Build returned, and compiler the compiler of the build.
// Only the literal in the source is different. So the package has the same export data
// as the one that the other packages were compiled against.
func Sites(importcfg, compiler, archive string, tables []byte) error {
	built, err := sourceOf(importcfg, SitesPath)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(built, sitesFile))
	if err != nil {
		return err
	}
	args, err := os.ReadFile(filepath.Join(built, sitesArgs))
	if err != nil {
		return err
	}
	parts := strings.Split(string(text), `""`)
	if len(parts) != 2 {
		return fmt.Errorf("%s has no literal to put the tables in", sitesFile)
	}
	src, err := os.MkdirTemp(filepath.Dir(archive), "sites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(src)
	b := append(appendLiteral([]byte(parts[0]), tables), parts[1]...)
	if err := os.WriteFile(filepath.Join(src, sitesFile), b, 0o666); err != nil {
		return err
	}
	cmd := exec.Command(compiler, "-o", archive, "-p", SitesPath, "-pack", "-complete", "-trimpath", src+"=>"+SitesPath)
	cmd.Args = append(append(cmd.Args, strings.Fields(string(args))...), sitesFile)
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "PWD="+src)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the site tables: %w\n%s", err, out)
	}
	return nil
}

// sourceOf returns the directory with the files that a package of an importcfg was compiled of.
func sourceOf(importcfg, pkg string) (dir string, err error) {
	lines, err := os.ReadFile(importcfg)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut("\n"+string(lines), "\npackagefile "+pkg+"=")
	if !ok {
		return "", fmt.Errorf("%s does not name an archive of %s: remove it and build again", importcfg, pkg)
	}
	archive, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(archive, ".a"), nil
}

// appendLiteral appends data as a string literal of Go. Bytes that are not ASCII
// are escaped: source must be UTF-8.
func appendLiteral(b, data []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range data {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case ' ' <= c && c <= '~':
			b = append(b, c)
		default:
			b = append(b, '\\', 'x', hex[c>>4], hex[c&15])
		}
	}
	return append(b, '"')
}
