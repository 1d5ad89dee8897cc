package core

import (
	"syscall"
	"testing"
)

func TestErrorsHaveTheWordsOfSyscall(t *testing.T) {
	for e := range 200 {
		if got, want := errno(e).Error(), syscall.Errno(e).Error(); got != want {
			t.Errorf("%d: %q, want %q", e, got, want)
		}
	}
}
