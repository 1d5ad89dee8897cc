package sys

import (
	"syscall"
	"testing"
)

func TestErrorsHaveTheWordsOfSyscall(t *testing.T) {
	for e := range 200 {
		if got, want := Errno(e).Error(), syscall.Errno(e).Error(); got != want {
			t.Errorf("%d: %q, want %q", e, got, want)
		}
	}
}
