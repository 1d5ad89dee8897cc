package image

// This file says what an executable does not tell.

import "errors"

// Lost returns what is missing because the executable is stripped, as sentences for
// users. It is empty for an executable that has everything.
func (im *Image) Lost() (list []string) {
	if _, err := im.symbols(); errors.Is(err, ErrStripped) {
		list = append(list,
			"No symbols: C functions and variables have no names.")
	}
	if _, err := im.dwarf(); errors.Is(err, ErrStripped) {
		list = append(list,
			"No DWARF: parameters and results have no names and no types, so arguments are shown as words; results are unknown, and so are the arguments of functions that do not check the stack size.")
		if _, err := im.goroutine(); err != nil {
			list = append(list, "No goroutine numbers and no labels: "+err.Error()+".")
		}
	}
	if im.module.gofunc == 0 {
		list = append(list, "No inline trees: code of inlined functions counts for the function around it.")
	}
	if im.GoVersion == "" {
		list = append(list, "The Go release is unknown.")
	}
	return list
}
