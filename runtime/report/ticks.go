package report

// This file says which share of the ticks of a profile was outside of instrumented
// functions, and where.

import (
	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/wire"
)

// Ticks are the numbers of ticks in the functions of a program.
type Ticks struct {
	inside map[string]map[string]bool // files of instrumented packages: functions that are instrumented
	all    uint64
	more   uint64            // ticks in packages that could be instrumented
	out    map[string]uint64 // ticks outside, by package, or by function if its package is instrumented
	names  []string          // of out
}

// NewTicks returns Ticks of a program with the given site tables.
func NewTicks(pkgs []*wire.Package) *Ticks {
	t := &Ticks{inside: make(map[string]map[string]bool), out: make(map[string]uint64)}
	for _, p := range pkgs {
		for _, f := range p.Files {
			if t.inside[f] == nil {
				t.inside[f] = make(map[string]bool)
			}
		}
		for i := range p.Funcs {
			f := &p.Funcs[i]
			t.inside[p.Files[f.File]][f.Name] = true
		}
	}
	return t
}

// Add adds n ticks in a function. An empty frame is code that is not in the program's text,
// or that has no name.
func (t *Ticks) Add(f Frame, n uint64) {
	t.all += n
	names, instrumented := t.inside[f.File]
	where := ""
	switch {
	case f.Func == "":
		where = notGo
	case names[f.Func]:
		return
	case instrumented:
		where = f.Func
	default:
		where = packageOf(f.Func)
		if !ofRuntime(where) {
			t.more += n
		}
	}
	if t.out[where] == 0 {
		t.names = append(t.names, where)
	}
	t.out[where] += n
}

const (
	notGo    = "code outside of Go"
	assembly = "assembly"
)

// packageOf returns the import path of a function's package: "encoding/json" of
// "encoding/json.(*decodeState).value". Some assembly of the Go runtime has names without
// a package.
func packageOf(name string) string {
	begin := 0
	for i := range len(name) {
		switch name[i] {
		case '/':
			begin = i + 1
		case '[', '(':
			return cutDot(name, begin)
		}
	}
	return cutDot(name, begin)
}

// cutDot returns name up to the first dot from begin on.
func cutDot(name string, begin int) string {
	for i := begin; i < len(name); i++ {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return assembly
}

// named is how many packages a note names.
const named = 5

// Note returns the note as a comment of a profile:
//
//	pep: 98.0% of 250 ticks were outside of instrumented functions: encoding/json 55.6%,
//	strconv 30.0%, runtime 12.4% (-peppkg=all instruments more)
//
// It returns "" if all ticks were inside.
func (t *Ticks) Note() string {
	// The names with most ticks first; there are few.
	for i := range t.names {
		for j := i; j > 0 && t.less(t.names[j], t.names[j-1]); j-- {
			t.names[j], t.names[j-1] = t.names[j-1], t.names[j]
		}
	}
	sum := uint64(0)
	list := ""
	for i, name := range t.names {
		n := t.out[name]
		sum += n
		switch {
		case i < named:
			list += sep(i) + name + " " + t.percent(n)
		case i == named:
			list += ", …"
		}
	}
	if sum == 0 {
		return ""
	}
	s := "pep: " + t.percent(sum) + " of " + digits.Uint(t.all) + " ticks were outside of instrumented functions: " + list
	if t.more*10 >= t.all {
		s += " (-peppkg=all instruments more)"
	}
	return s
}

func sep(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// less orders names by their ticks, then by name.
func (t *Ticks) less(a, b string) bool {
	if t.out[a] != t.out[b] {
		return t.out[a] > t.out[b]
	}
	return a < b
}

// percent returns the share of n ticks with one digit behind the point.
func (t *Ticks) percent(n uint64) string {
	permille := (n*1000 + t.all/2) / t.all
	return digits.Uint(permille/10) + "." + digits.Uint(permille%10) + "%"
}

// ofRuntime reports whether a package belongs to the Go runtime, which is never
// instrumented, or is no package.
func ofRuntime(name string) bool {
	return name == "runtime" || hasPrefix(name, "runtime/") || hasPrefix(name, "internal/") || name == assembly
}
