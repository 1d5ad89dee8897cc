package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/internal/command/commandtest"
)

func TestDoc(t *testing.T) { commandtest.Doc(t, &pep, makeExample, *update) }

func TestUsage(t *testing.T) {
	commandtest.Usage(t, &pep, func(dir string) error {
		err := makeExample(dir)
		for _, kind := range []string{"paths", "edges"} { // of a second run
			data, readErr := os.ReadFile(filepath.Join(dir, "app.71."+kind+".pb.gz"))
			err = errors.Join(err, readErr, os.WriteFile(filepath.Join(dir, "app.72."+kind+".pb.gz"), data, 0o644))
		}
		return err
	})
}
