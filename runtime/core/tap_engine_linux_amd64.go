package core

// This file reads the files that the description of an engine names.

import "github.com/pepgo/pep/runtime/sys"

// readSetting returns what is in a file that the description of an engine names.
func readSetting(name string) ([]byte, error) { return sys.ReadFile(name) }
