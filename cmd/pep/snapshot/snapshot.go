// Package snapshot takes profiles of programs built with pepbuild while they run.
//
//	data, err := snapshot.Take(4711, "paths")  // the profile so far, as in app.4711.T.paths.pb.gz
//
// Such a program counts in its .pep file, which is memory that it shares with the file
// system. Its own executable makes profiles of that file, if PEP_WRITE names it. Take
// executes it for this, with the right executable even if its file was replaced, and only
// if the process belongs to the user: as it is a program of that user anyway, nothing runs
// with rights that it did not have.
package snapshot

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Take returns a profile of the counts so far: kind is that in the names of profiles,
// "paths", "edges" or "values". The program is not disturbed.
func Take(pid int, kind string) ([]byte, error) {
	data, err := take(pid, kind)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return data, nil
}

func take(pid int, kind string) ([]byte, error) {
	proc := filepath.Join("/proc", fmt.Sprint(pid))
	info, err := os.Stat(proc)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("there is no such process")
	}
	if err != nil {
		return nil, err
	}
	if !isOurs(info) {
		return nil, errors.New("it belongs to another user: become that user")
	}
	maps, err := os.ReadFile(filepath.Join(proc, "maps"))
	if err != nil {
		return nil, err
	}
	file, err := counts(string(maps))
	if err != nil {
		return nil, err
	}
	// The profiles are written beside the file. A second name for it, in a directory of
	// its own, keeps them apart from those that the program will write.
	dir, err := os.MkdirTemp(filepath.Dir(file), ".pep-snapshot-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, filepath.Base(file))
	if err := os.Link(file, name); err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(proc, "exe"))
	cmd.Env = []string{"PEP_WRITE=" + name}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("its program does not read %s: %w: %s", file, err, strings.TrimSpace(string(out)))
	}
	profile := strings.TrimSuffix(name, ".pep") + "." + kind + ".pb.gz"
	data, err := os.ReadFile(profile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("it has counted no %s", kind)
	}
	return data, err
}

// counts returns the name of the .pep file in a text in the format of /proc/PID/maps.
func counts(maps string) (string, error) {
	for line := range strings.Lines(maps) {
		at := strings.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		name := strings.TrimSuffix(line[at:], "\n")
		if strings.HasSuffix(name, ".pep (deleted)") {
			return "", fmt.Errorf("its file %s was removed", strings.TrimSuffix(name, " (deleted)"))
		}
		if strings.HasSuffix(name, ".pep") {
			return name, nil
		}
	}
	return "", errors.New("it has no .pep file: it was not built with pepbuild, or runs without a profile")
}
