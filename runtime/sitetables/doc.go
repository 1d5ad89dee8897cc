// Package sitetables reads the site tables that are linked into the program, which
// package sites holds:
//
//	pkgs, build, err := sitetables.All()   // pkgs[0].Path == "strings"
package sitetables
