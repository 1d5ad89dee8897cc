package linked_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"debug/gosym"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// Executables have nothing of the linked runtime that only debuggers and package reflect read. Stack traces name its
// lines.
func TestLinkedRuntimeIsNotDescribed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/described\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), `package main

import "fmt"

type described struct{ FieldOfMain int }

func main() { fmt.Printf("%+v\n", described{7}) }
`)
	f, err := elf.Open(pepbuildtest.Program(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if lines := debugLines(t, f); lines["main"] == 0 || lines["runtime"] == 0 ||
		lines["0pep/convert"]+lines["0pep/report"] != 0 {
		t.Errorf("debuggers see %d lines of main, %d of runtime, %d and %d of the linked runtime",
			lines["main"], lines["runtime"], lines["0pep/convert"], lines["0pep/report"])
	}
	var constants []byte
	for _, name := range []string{".rodata", ".go.type"} { // since Go 1.27 types have a section of their own
		section := f.Section(name)
		if section == nil {
			continue
		}
		data, err := section.Data()
		if err != nil {
			t.Fatal(err)
		}
		constants = append(constants, data...)
	}
	// Names of exported fields begin with a flag and their length.
	for name, want := range map[string]bool{"\x01\x0bFieldOfMain": true, "\x01\x0aSystemName": false} {
		if bytes.Contains(constants, []byte(name)) != want {
			t.Errorf("package reflect sees the field %q: %v, want %v", name[2:], !want, want)
		}
	}
	data, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, f.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	if file, line, fn := table.PCToLine(table.LookupFunc("0pep/core.start").Entry); line == 0 ||
		!strings.HasPrefix(filepath.Base(file), "start_") {
		t.Errorf("%s is at %s:%d", fn.Name, file, line)
	}
}

// debugLines returns how many lines debuggers see of packages.
func debugLines(t *testing.T, f *elf.File) map[string]int {
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return lines
		}
		r.SkipChildren()
		if e.Tag != dwarf.TagCompileUnit {
			continue
		}
		l, err := data.LineReader(e)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		for l != nil {
			if err := l.Next(new(dwarf.LineEntry)); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			lines[name]++
		}
	}
}
