//go:build !cgo

package main

func ofC(func(name string, make func()) bool) bool { return true }
