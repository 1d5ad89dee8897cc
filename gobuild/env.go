package gobuild

// This file prints the settings of a build.

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Env prints what pepbuild and the programs that it builds take from the environment, as go env does: NAME='value' for
// all settings, or the values of the given names alone.
func Env(names []string, w io.Writer) error {
	b := &build{goCmd: "go"}
	out, err := b.goOutput("env", "-json", "GOFLAGS", "GOVERSION")
	if err != nil {
		return err
	}
	var env map[string]string
	if err := json.Unmarshal([]byte(out), &env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	settings := [][2]string{
		{"PEPFLAGS", os.Getenv("PEPFLAGS")},
		{"PEPDIR", os.Getenv("PEPDIR")},
		{"PEPOPTS", os.Getenv("PEPOPTS")},
		{"PEPCACHE", cache},
		{"GOFLAGS", env["GOFLAGS"]},
		{"GOVERSION", env["GOVERSION"]},
	}
	if len(names) == 0 {
		for _, s := range settings {
			if _, err := fmt.Fprintf(w, "%s='%s'\n", s[0], strings.ReplaceAll(s[1], "'", `'\''`)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		i := slices.IndexFunc(settings, func(s [2]string) bool { return s[0] == name })
		if i < 0 {
			return usagef("env: no setting %q: pepbuild env lists them", name)
		}
		if _, err := fmt.Fprintln(w, settings[i][1]); err != nil {
			return err
		}
	}
	return nil
}
