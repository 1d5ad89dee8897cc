package taps

// This file reads the files that the description of an engine names.

import "github.com/pepgo/pep/runtime/sys"

// readSetting returns what is in a file that the description of an engine names. The
// file without a name is the layout of this program's code: see hwsim.Args.Own.
func readSetting(name string) ([]byte, error) {
	if name == "" {
		return ownLayout()
	}
	return sys.ReadFile(name)
}
