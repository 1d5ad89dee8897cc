// Package gomodule brings modules of others to where experiments can change them.
//
//	err := gomodule.Copy("github.com/BurntSushi/toml@v1.6.0", dir)
package gomodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrDownload is wrapped by errors of modules that cannot be downloaded.
var ErrDownload = errors.New("cannot be downloaded")

// Copy copies a module into a directory that does not exist yet. All files can be written.
func Copy(module, to string) error {
	from, err := download(module)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDownload, err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chmod(name, info.Mode()|0o200)
	})
}

// download returns the directory of a module in the module cache.
func download(module string) (dir string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr != nil {
		return "", fmt.Errorf("%s: %w", cmd, errors.Join(err, jsonErr))
	}
	if m.Error != "" {
		return "", fmt.Errorf("%s: %s", cmd, m.Error)
	}
	return m.Dir, err
}
