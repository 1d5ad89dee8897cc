package gobuild

// This file finds out for which system and with which settings the go command builds, and what that rules out.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/plan"
)

// readEnv asks the go command for its settings, and checks that they suit.
func (b *build) readEnv() error {
	out, err := b.goOutput("env", "-json", "GOOS", "GOARCH", "GOROOT", "GOTOOLDIR", "GOVERSION", "GOAMD64", "GOEXPERIMENT",
		"GOFLAGS", "GOCACHE",
		"GOFIPS140", "CGO_ENABLED")
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("the go command is not in PATH: install Go (%s or later) or add its bin directory to PATH",
			known[0])
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), &b.env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	b.release = parseRelease(b.env["GOVERSION"])
	b.args.Release = b.release.lang
	flags, err := parseGOFLAGS(b.args.Verb, b.env["GOFLAGS"])
	if err != nil {
		return err
	}
	b.given = &Args{}
	for _, f := range flags {
		if value, ok := strings.CutPrefix(f, "-gcflags="); ok {
			b.given.Gcflags = append(b.given.Gcflags, value)
		} else {
			b.given.GoFlags = append(b.given.GoFlags, f)
		}
	}
	// Parse has checked the flags of the command line by themselves.
	if i, err := refused(b.flags()); err != nil && i < len(b.given.GoFlags) {
		return usagef("GOFLAGS: %v", err)
	}
	return nil
}

// checkSystem returns an error if the mode is not for the system. Where there are no windows it chooses polls, and says
// so.
func (b *build) checkSystem() error {
	system, arch := b.env["GOOS"]+"/"+b.env["GOARCH"], b.env["GOARCH"]
	switch {
	case b.args.Mode == plan.Layout && arch != "amd64":
		return usagef("-pepopt=%s: programs are laid out by profiles for amd64 only, and this build is for %s", b.args.Opt,
			arch)
	case b.args.Mode == plan.Table && system != "linux/amd64":
		return usagef("-peptable=%s: there are tables of branches for linux/amd64 only, and this build is for %s",
			b.args.Table, system)
	case b.args.Mode != plan.Windows:
		return nil
	}
	why := ""
	for _, name := range []string{"race", "msan", "asan"} {
		if isOn(b.flags(), name) {
			why = "-" + name + " has code of its own at loads and stores, which windows do not interpret"
		}
	}
	if system != "linux/amd64" {
		why = "there are windows for linux/amd64 only, and this build is for " + system
	}
	if why != "" {
		fmt.Fprintf(b.stderr, "pepbuild: building with -pepmode=polls: %s\n", why)
		b.args.Mode = plan.Polls
	}
	return nil
}

// checkProfileDir returns an error if programs that the go command runs could not write their profiles.
// They say so themselves, but go test shows nothing of what passing tests of several packages print.
func (b *build) checkProfileDir() error {
	_, exec := last(b.flags(), "exec") // may run them on another machine
	if !b.args.Mode.Kind().Runtime || b.args.runsNothing() || exec >= 0 || isOn(b.flags(), "c") || isOn(b.flags(), "n") {
		return nil
	}
	dir := os.Getenv("PEPDIR")
	f, err := os.CreateTemp(cmp.Or(dir, "."), "pepbuild-")
	if err != nil {
		where := "PEPDIR=" + dir
		if dir == "" {
			where = "PEPDIR is not set, so profiles go to the current directory"
		}
		return fmt.Errorf("no profile can be written (%s): %w; set PEPDIR to a directory that exists and can be written",
			where, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// flags returns the flags of GOFLAGS and, behind them, those of the command line,
// in the order in which the go command reads them.
func (b *build) flags() []string { return slices.Concat(b.given.GoFlags, b.args.GoFlags) }
