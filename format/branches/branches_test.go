package branches

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// pick reads the table of testdata/pick.go.txt, as the compiler of Go 1.26 has written it with -pepvalues=all; other
// packages are left out.
func pick(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/pick.table")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead(t *testing.T) {
	pkgs, err := Read(pick(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 1 || pkgs[0].Path != "main" {
		t.Fatalf("packages %+v, want main", pkgs)
	}
	funcs := pkgs[0].Funcs
	i := slices.IndexFunc(funcs, func(f Func) bool { return f.Name == "main.pick" })
	if i < 0 {
		t.Fatalf("functions %+v", funcs)
	}
	f := funcs[i]
	var rows []string
	for _, r := range f.Rows {
		for _, o := range r.Outcomes {
			x := f.Outcomes[o]
			line := r.Way.String() + " " + x.Kind.String() + strings.TrimPrefix(x.Pos.String(), "example.com/pick/main.go")
			if x.Call > 0 {
				line += " in " + f.Calls[x.Call-1].Func
			}
			rows = append(rows, line)
		}
	}
	want := []string{
		"at entry:10:6",
		"not taken true:11:11", "taken false:11:11", "taken false:11:2",
		"not taken true:11:2", "taken false:11:2",
		"at inlined:12:15 in main.twice", "not taken true:31:2 in main.twice", "taken false:31:2 in main.twice",
		"at left:12:15 in main.twice", "at return:10:6",
		"not taken false:15:2", "taken true:15:2", "not taken false:18:6", "taken true:18:6",
		"at clause:22:2", "at clause:24:2", "at return:10:6",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	i = slices.IndexFunc(funcs, func(f Func) bool { return f.Name == "main.named" })
	if i < 0 {
		t.Fatalf("functions %+v", funcs)
	}
	var values []string
	for _, v := range funcs[i].Values {
		values = append(values, fmt.Sprintf("%s:%d:%d: %s %s, %s, in register %d, %d bytes", v.What, v.Pos.Line, v.Pos.Col,
			v.Expr, v.Type, v.Form, v.Reg, v.Width))
	}
	if want := []string{
		"type:38:15: v any, , in register 0, 8 bytes",
		"result:39:10: len(n) string, length, in register 3, 8 bytes",
		"call:41:17: s.String interface { String() string }, , in register 0, 0 bytes",
		"result:41:9: len(s.String()) string, length, in register 3, 8 bytes",
	}; !slices.Equal(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
	i = slices.IndexFunc(funcs, func(f Func) bool { return f.Name == "main.within" })
	if i < 0 {
		t.Fatalf("functions %+v", funcs)
	}
	var lost []string
	for _, o := range funcs[i].Outcomes {
		if o.Lost != 0 {
			lost = append(lost, fmt.Sprintf("%s:%d:%d: %s", o.Kind, o.Pos.Line, o.Pos.Col, o.Lost))
		}
	}
	if want := []string{"true:45:12: merged", "false:45:12: merged", "true:45:12: either"}; !slices.Equal(lost, want) {
		t.Errorf("lost outcomes %q, want %q", lost, want)
	}
}

// Of functions with one name the executable has some.
func TestLink(t *testing.T) {
	f := Func{Name: "f", Size: 8, Rows: []Row{{PC: 1, Way: Taken}}}
	other, big := f, f
	other.Rows = []Row{{PC: 2, Way: Taken}}
	big.Size = 9
	pkgs := []Package{{Path: "a", Funcs: []Func{f, {Name: "unlinked", Size: 3}}}, {Path: "b", Funcs: []Func{f}},
		{Path: "c", Funcs: []Func{big}}}
	symbols := []Symbol{{"f", 100, 8}, {"assembly", 150, 7}, {"f", 200, 9}}
	for _, test := range []struct {
		pkgs           []Package
		symbols        []Symbol
		placed, unlike []uint64 // addresses
		error          string
	}{
		{pkgs, symbols, []uint64{100, 200}, nil, ""},
		{append(pkgs, Package{Funcs: []Func{other}}), symbols, []uint64{200}, []uint64{100}, ""},
		{pkgs, []Symbol{{"f", 100, 10}}, nil, nil, "f has 10 bytes in the executable"},
	} {
		funcs, unlike, err := Link(test.pkgs, &Executable{Functions: test.symbols})
		if test.error != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.error) {
				t.Errorf("%v: %v, want %s", test.symbols, err, test.error)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		}
		var placed, not []uint64
		for _, p := range funcs {
			placed = append(placed, p.Addr)
			if p.Addr == 100 && p.Size != 8 || p.Addr == 200 && p.Size != 9 {
				t.Errorf("%d bytes at %d", p.Size, p.Addr)
			}
		}
		for _, s := range unlike {
			not = append(not, s.Addr)
		}
		if !slices.Equal(placed, test.placed) || !slices.Equal(not, test.unlike) {
			t.Errorf("%v: placed at %d, unlike at %d, want %d, %d", test.symbols, placed, not, test.placed, test.unlike)
		}
	}
}

// Whatever is cut off or added is noticed, and no file makes Read panic.
func TestDamaged(t *testing.T) {
	data := pick(t)
	for n := range data {
		if _, err := Read(data[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are read", n, len(data))
		}
	}
	if _, err := Read(append(slices.Clone(data), 0)); err == nil {
		t.Error("a byte too much is read")
	}
	// Bytes that are another number, among them kinds of outcomes and ways of rows, are refused, or have a meaning.
	refused := 0
	for i := range data {
		other := slices.Clone(data)
		other[i] = 0x7f
		pkgs, err := Read(other)
		if err != nil {
			refused++
		}
		for _, p := range pkgs {
			for _, f := range p.Funcs {
				for _, o := range f.Outcomes {
					if o.Kind.String() == "" {
						t.Fatalf("byte %d: outcome %+v", i, o)
					}
				}
				for _, r := range f.Rows {
					if r.Way.String() == "" {
						t.Fatalf("byte %d: row %+v", i, r)
					}
				}
				for _, v := range f.Values {
					if v.What.String() == "" || int(v.Lost) >= len(lossNames) {
						t.Fatalf("byte %d: value %+v", i, v)
					}
				}
			}
		}
	}
	if refused < len(data)/10 {
		t.Errorf("%d of %d changes of a byte are refused", refused, len(data))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pick(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		pkgs, err := Read(data)
		if err != nil {
			return
		}
		for _, p := range pkgs {
			for _, fn := range p.Funcs {
				for _, r := range fn.Rows {
					for _, o := range r.Outcomes {
						if c := fn.Outcomes[o].Call; c > len(fn.Calls) {
							t.Errorf("call %d of %d", c, len(fn.Calls))
						}
					}
				}
				for _, v := range fn.Values {
					if v.Call > len(fn.Calls) {
						t.Errorf("call %d of %d", v.Call, len(fn.Calls))
					}
				}
			}
		}
	})
}
