//go:build withc

package main

// static int one(void) { return 1; }
import "C"

func init() { work(int(C.one())) }
