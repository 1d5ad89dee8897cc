package instrument_test

import (
	"errors"
	"go/importer"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
)

// panics is an importer that panics.
type panics struct{}

func (panics) Import(string) (*types.Package, error) { panic("importer") }

// The error for a mistake of the instrumenter names the phase and the function in which
// it happened, and has the stack.
func TestInternalErrors(t *testing.T) {
	const src = `package p

import "fmt"

type T struct{}

func (*T) f(s func(func() bool)) {
	for range s {
		func() { fmt.Println() }()
	}
}
`
	name := filepath.Join(t.TempDir(), "in.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	renamed := 0
	for _, test := range []struct {
		importer types.Importer
		rename   func(string) string
		want     string
	}{
		{panics{}, nil, "internal error in phase flow, at p: importer"},
		{importer.Default(), func(string) string { panic("first") },
			"internal error in phase pathnum, placement, describe, at in.go:7: func (*T) f: first"},
		{importer.Default(), func(string) string {
			if renamed++; renamed == 2 {
				panic("second")
			}
			return "in.go"
		}, "internal error in phase pathnum, placement, describe, at in.go:8: the body of a loop in func (*T) f: second"},
	} {
		pkg := &instrument.Package{Path: "p", Files: []string{name}, Importer: test.importer, Rename: test.rename,
			CorePath: "0pep/core"}
		res, err := instrument.Do(pkg, instrument.Options{Ends: rewrite.Poll})
		var internal *instrument.InternalError
		if !errors.As(err, &internal) || res != nil {
			t.Errorf("got %v, %v, want an InternalError", res, err)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), name, "in.go"); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if !strings.Contains(string(internal.Stack), "TestInternalErrors") {
			t.Errorf("the stack does not reach the test:\n%s", internal.Stack)
		}
	}
}
