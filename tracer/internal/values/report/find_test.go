package report

import (
	"testing"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

func TestSpecialisable(t *testing.T) {
	for _, test := range []struct {
		text string
		code []byte
		kind string
		want bool
	}{
		{"MOVQ $3, 0xa8(AX)", []byte{0x48, 0xc7, 0x80, 0xa8, 0, 0, 0, 3, 0, 0, 0}, "result", false},
		{"MOVL $3, AX", []byte{0xb8, 3, 0, 0, 0}, "result", false},
		{"MOVQ CX, 0xa8(AX)", []byte{0x48, 0x89, 0x88, 0xa8, 0, 0, 0}, "result", true},
		{"MOVQ 0xa8(AX), CX", []byte{0x48, 0x8b, 0x88, 0xa8, 0, 0, 0}, "result", true},
		{"ADDQ CX, AX", []byte{0x48, 0x01, 0xc8}, "result", true},
		{"CQO", []byte{0x48, 0x99}, "result", false},
		{"CMPQ AX, $5", []byte{0x48, 0x83, 0xf8, 5}, "first", true},
		{"CMPQ AX, $5", []byte{0x48, 0x83, 0xf8, 5}, "second", false},
		{"CMPQ AX, CX", []byte{0x48, 0x39, 0xc8}, "second", true},
		{"CMPQ SP, 0x10(R14)", []byte{0x49, 0x3b, 0x66, 0x10}, "second", false},
		{"JNE", []byte{0x75, 5}, "taken", false},
	} {
		in, err := describe.Instruction(&capture.Image{}, 0x1000, test.code)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := specialisable(in, test.kind); got != test.want {
			t.Errorf("%s of %s: got %t", test.kind, test.text, got)
		}
	}
}
