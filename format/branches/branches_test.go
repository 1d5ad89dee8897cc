package branches

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// pick reads the table of testdata/pick.go.txt, as the compiler of Go 1.26 has written it.
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
	funcs, unlike := Functions(pkgs)
	i := slices.IndexFunc(funcs, func(f Func) bool { return f.Name == "main.pick" })
	if i < 0 || len(unlike) > 0 {
		t.Fatalf("functions %+v, %v", funcs, unlike)
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
		"not taken false:18:6", "taken true:18:6",
		"at clause:22:2", "at clause:24:2",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	lost := 0
	for _, o := range f.Outcomes {
		if o.Lost == Dropped && o.Pos.Line == 15 {
			lost++
		}
	}
	if lost != 2 {
		t.Errorf("%d lost outcomes of line 15, want 2", lost)
	}
}

// Of functions of several packages the executable has one.
func TestLinked(t *testing.T) {
	f := Func{Name: "f", Size: 8, Rows: []Row{{PC: 1, Way: Taken}}}
	other, big := f, f
	other.Rows = []Row{{PC: 2, Way: Taken}}
	big.Size = 9
	pkgs := []Package{{Path: "a", Funcs: []Func{f, {Name: "unlinked", Size: 3}}}, {Path: "b", Funcs: []Func{f}}, {Path: "c", Funcs: []Func{big}}}
	for _, test := range []struct {
		pkgs  []Package
		size  uint64
		pc    uint64 // 0: none of them
		error string
	}{
		{pkgs, 8, 1, ""},
		{pkgs, 9, 1, ""},
		{pkgs, 10, 0, "f has 10 bytes in the executable"},
		{append(pkgs, Package{Funcs: []Func{other}}), 8, 0, ""},
		{append(pkgs, Package{Funcs: []Func{other}}), 9, 1, ""},
	} {
		funcs, unlike, err := Linked(test.pkgs, map[string]uint64{"f": test.size, "assembly": 7})
		switch {
		case test.error != "":
			if err == nil || !strings.HasPrefix(err.Error(), test.error) {
				t.Errorf("%d bytes: %v, want %s", test.size, err, test.error)
			}
		case err != nil:
			t.Errorf("%d bytes: %v", test.size, err)
		case test.pc == 0:
			if len(funcs) > 0 || !slices.Equal(unlike, []string{"f"}) {
				t.Errorf("%d bytes: %+v, %v, want f to be unlike", test.size, funcs, unlike)
			}
		case len(funcs) != 1 || len(unlike) > 0 || funcs[0].Size != test.size || funcs[0].Rows[0].PC != test.pc:
			t.Errorf("%d bytes: %+v, %v, want f", test.size, funcs, unlike)
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
			}
		}
		Functions(pkgs)
	})
}
