package asm

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// rows returns the first two cells of the rows of a table in hwsim/cop/microcode.md: the first
// table behind a title.
func rows(t *testing.T, title string) (list [][2]string) {
	t.Helper()
	text, err := os.ReadFile("../microcode.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), title)
	_, rest, table := strings.Cut(rest, "|---|")
	_, rest, _ = strings.Cut(rest, "\n")
	if !ok || !table {
		t.Fatalf("hwsim/cop/microcode.md has no table behind %q", title)
	}
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), " | ")
		first := strings.Trim(strings.TrimPrefix(cells[0], "| "), "`")
		list = append(list, [2]string{strings.ReplaceAll(first, "\x00", "|"), strings.TrimRight(cells[1], " |\n")})
	}
	return list
}

func firstWords(list [][2]string) (names []string) {
	for _, r := range list {
		name, _, _ := strings.Cut(strings.TrimPrefix(r[0], "."), " ")
		names = append(names, name)
	}
	return names
}

// The reference has all names of the assembler, and no others, in the same order.
func TestReferenceHasAllNames(t *testing.T) {
	for title, want := range map[string][]string{
		"## Main ALU":          mainNames[1:],
		"## Index ALU":         indexNames[1:],
		"## Data array":        dataNames[1:],
		"| field |":            partNames[1:],
		"## Associative array": camNames[1:],
		"| condition | set":    predNames[1:],
	} {
		if got := firstWords(rows(t, title)); !slices.Equal(got, want) {
			t.Errorf("%s: the reference has %q, the assembler %q", title, got, want)
		}
	}
	if got, want := firstWords(rows(t, "## Operands")),
		append([]string{"V0", "K0", "I0", "M"}, sourceFields...); !slices.Equal(got, want) {
		t.Errorf("operands: the reference has %q, the assembler %q", got, want)
	}
	source, err := os.ReadFile("directive.go")
	if err != nil {
		t.Fatal(err)
	}
	directives := map[string]bool{}
	_, code, _ := strings.Cut(string(source), "func (s *scanner) directive()")
	code, _, _ = strings.Cut(code, "\n}\n")
	for _, m := range regexp.MustCompile(`\n\tcase "(\w+)":`).FindAllStringSubmatch(code, -1) {
		directives[m[1]] = true
	}
	if got, want := slices.Sorted(slices.Values(firstWords(rows(t, "## Directives")))),
		slices.Sorted(maps.Keys(directives)); !slices.Equal(got, want) || len(want) < 10 {
		t.Errorf("directives: the reference has %q, the assembler %q", got, want)
	}
}

// All examples of the reference are in the language, and use what their row is about.
func TestReferenceExamplesAssemble(t *testing.T) {
	part := map[string]func(machine.Instr) bool{
		"## Main ALU":          func(in machine.Instr) bool { return in.Main != machine.MainNop },
		"## Index ALU":         func(in machine.Instr) bool { return in.Index != machine.IndexNop },
		"## Data array":        func(in machine.Instr) bool { return in.Data != machine.DataNop },
		"## Associative array": func(in machine.Instr) bool { return in.Cam != machine.CamNop },
		"## Branches":          func(in machine.Instr) bool { return in.Branches() },
	}
	for title, uses := range part {
		for _, r := range rows(t, title) {
			p, err := Assemble("x", ".entry all start\n.target T0 start\nstart: nop\n"+r[0]+"\n nop\n done")
			if err != nil || !uses(p.Code[1].Instr) {
				t.Errorf("%s: %s: %v", title, r[0], err)
			}
		}
	}
	for _, r := range rows(t, "## Operands") {
		if _, err := Assemble("x", ".entry all x\nx: mov V1, "+r[0]+" ; done"); err != nil {
			t.Errorf("operand %s: %v", r[0], err)
		}
	}
	for _, r := range rows(t, "## Directives") {
		source := r[0] + "\nstart: done"
		if !strings.HasPrefix(source, ".entry") {
			source = ".entry all start\n" + strings.Replace(source, ".filter load", ".filter load store", 1)
		}
		if _, err := Assemble("x", source); err != nil {
			t.Errorf("directive %s: %v", r[0], err)
		}
	}
}

// The bits of each part of a word are those that the comment of machine.Instr says, and those of each field of a data
// word are in the reference.
func TestReferenceEncoding(t *testing.T) {
	parts := []machine.Instr{
		{Main: 31}, {A: 63}, {B: 63}, {Dst: 15}, {Index: 7}, {IndexSrc: 7}, {IndexDst: 7}, {Data: 7}, {Base: 3},
		{DataIndex: 7}, {Field: 7},
		{Cam: 3}, {CamIndex: 7}, {CamResult: true}, {Pred: 15}, {Not: true}, {Branch: 3}, {Offset: -1}, {Hint: true}, {},
	}
	source, err := os.ReadFile("../machine/instr.go")
	if err != nil {
		t.Fatal(err)
	}
	_, comment, _ := strings.Cut(string(source), "// Bits of the word, from the lowest:\n")
	comment, _, _ = strings.Cut(comment, "// A branch tests")
	said := regexp.MustCompile(`(\d+) (\w+)`).FindAllStringSubmatch(comment, -1)
	if len(said) != len(parts) {
		t.Fatalf("the comment has %d parts, want %d", len(said), len(parts))
	}
	next := 0
	for i, m := range said {
		width, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		want := uint64(0)
		if parts[i] != (machine.Instr{}) {
			want = (1<<width - 1) << next
		}
		if got := parts[i].Encode(); got != want {
			t.Errorf("%s, %d bits from %d: the encoding has %#x", m[2], width, next, got)
		}
		next += width
	}
	if next != 64 {
		t.Errorf("the parts have %d bits", next)
	}
	m, err := machine.New(machine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows(t, "| field |") {
		from, to := bitRange(t, r[1])
		p, err := Assemble("x", ".entry all x\n.base B0 0 1\nx: not V0, V0 ; wr B0|I0."+partNames[i+1]+" ; done")
		if err == nil {
			err = m.Load(p.Image)
		}
		if err == nil {
			err = m.Set(machine.CommandWindow+machine.ClearData, 0)
		}
		if err == nil {
			err = m.Set(machine.ValueWindow, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, now := m.State()
		m.Offer(now, machine.Sample{Class: 1})
		m.Run(1 << 40)
		if got, _ := m.Get(machine.DataWindow); got != (1<<(to-from+1)-1)<<from {
			t.Errorf("field %s: bits %#x, the reference says %s", r[0], got, r[1])
		}
	}
}

func bitRange(t *testing.T, text string) (from, to int) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "%d-%d", &from, &to); err != nil {
		t.Fatalf("bits %q: %v", text, err)
	}
	return from, to
}
