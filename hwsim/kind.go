package hwsim

// This file holds how engines are described: name(value,key=value,…).

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
)

// A Kind is a family of engines with one name: all that differ in parameters only. Package
// hwsim/engines has the list of all kinds.
type Kind struct {
	Name string

	// Params are the names of the parameters. Values without a name belong to the
	// first, the second and so on.
	Params []string
	Also   bool // Parse calls Args.Also: some engines have more parameters

	// Parse makes a Spec from the text between the parentheses. If the text is wrong,
	// Parse calls a.Want, and its result is ignored.
	Parse func(a *Args) Spec

	Weighted bool // engines are Weighted: they can stand behind others in a chain
	Ranges   bool // engines send messages with Free bits: no other engine can stand behind them; see also Ranger

	// Examples are descriptions for the tests that all kinds must pass. The engines of
	// Random go on with other random numbers after Flush, so the tests do not expect
	// the same messages again.
	Examples, Random []string
}

// A SyntaxError says where a description of an engine is wrong.
type SyntaxError struct {
	Spec   string
	Column int    // from 1, in bytes
	Want   string // what was expected there
}

func (e *SyntaxError) Error() string {
	return "engine " + e.Spec + ", column " + digits.Uint(uint64(e.Column)) + ": want " + e.Want
}

// ReadFile returns the content of a file. The caller of Parse provides it, because linked
// programs have no package os.
type ReadFile func(name string) ([]byte, error)

// Args are the arguments in an engine's description, between the parentheses. Kind.Parse
// reads the values one by one, and states the bounds of each:
//
//	func parse(a *hwsim.Args) hwsim.Spec {
//		return spec{
//			bits:  a.Uint("bits", 4, 0, 64),
//			slots: a.Uint("slots", 64, 1, 1<<20),
//		}
//	}
//
// After an error all values read as zero.
type Args struct {
	Later bool // the engine will stand behind another: it gets messages with counts

	spec     string // the whole description
	from, to int    // what is between the parentheses
	read     ReadFile
	names    []string
	values   []arg   // by parameter
	unknown  []named // with names that are not among names
	other    func(name string) string
	err      *SyntaxError
}

// A named argument has the bytes from at to to of the description; value is where its value begins.
type named struct{ at, value, to int }

// An arg is a value: the bytes from from to to of the description. If to is 0, the
// description does not have it.
type arg struct{ from, to int }

// NewArgs returns the arguments of an engine: the bytes from from to to of a description.
func NewArgs(spec string, from, to int, later bool, read ReadFile) *Args {
	return &Args{Later: later, spec: spec, from: from, to: to, read: read}
}

// Parse has a kind read its arguments.
func (a *Args) Parse(k *Kind) (Spec, *SyntaxError) {
	if k.Params != nil {
		a.names, a.values = k.Params, make([]arg, len(k.Params))
		a.split()
	}
	if !k.Also {
		a.refuse() // before the kind reads values: a misspelt name is the first thing to say
	}
	if a.err != nil {
		return nil, a.err
	}
	s := k.Parse(a)
	a.refuse()
	if a.err != nil {
		return nil, a.err
	}
	return s, nil
}

// Also adds the parameters that only some engines of a kind have, such as those of one program. The kind
// calls Also before it reads them. If the description has a parameter that is not known even so,
// other says what is wanted instead of its value; it returns "" for a name that it does not know either.
func (a *Args) Also(names []string, other func(name string) string) {
	a.names = append(a.names[:len(a.names):len(a.names)], names...) // those of the kind stay
	a.values = append(a.values, make([]arg, len(names))...)
	a.other = other
	list := a.unknown
	a.unknown = nil
	for _, x := range list {
		a.named(x)
	}
}

// refuse reports the first parameter that is not known.
func (a *Args) refuse() {
	if len(a.unknown) == 0 {
		return
	}
	x := a.unknown[0]
	if a.other != nil {
		if want := a.other(a.spec[x.at : x.value-1]); want != "" {
			a.wantAt(x.value, want)
		}
	}
	a.wantAt(x.at, oneOf(a.names))
}

// Text returns the whole text between the parentheses. Kinds with a language of their own
// have no Params and use it.
func (a *Args) Text() string { return a.spec[a.from:a.to] }

// Want reports an error at an offset of Text: what should stand there. The first error
// counts.
func (a *Args) Want(offset int, what string) { a.wantAt(a.from+offset, what) }

func (a *Args) wantAt(at int, what string) {
	if a.err == nil {
		a.err = &SyntaxError{a.spec, at + 1, what}
	}
}

// Uint returns the value of a parameter, a number from least to most.
func (a *Args) Uint(name string, otherwise, least, most uint64) (n uint64) {
	v := a.value(name)
	if v.to == 0 {
		return otherwise
	}
	text := a.spec[v.from:v.to]
	ok := text != "" && len(text) <= 19
	for i := range len(text) {
		ok = ok && '0' <= text[i] && text[i] <= '9'
		n = 10*n + uint64(text[i]-'0')
	}
	if !ok || n < least || n > most {
		a.wantAt(v.from, "a number from "+digits.Uint(least)+" to "+digits.Uint(most))
		return 0
	}
	return n
}

// String returns the value of a parameter as text, without the quotation marks around it.
func (a *Args) String(name, otherwise string) string {
	v := a.value(name)
	if v.to == 0 {
		return otherwise
	}
	return items.Unquote(a.spec[v.from:v.to])
}

// File returns the content of the file that a parameter names, nil if the description does
// not have the parameter.
func (a *Args) File(name string) []byte {
	v := a.value(name)
	if v.to == 0 {
		return nil
	}
	file := a.String(name, "")
	if a.read == nil {
		a.wantAt(v.from, "no file: files cannot be read here")
		return nil
	}
	data, err := a.read(file)
	if err != nil {
		a.wantAt(v.from, "a file that can be read: "+err.Error())
		return nil
	}
	return data
}

// Own returns what the program that runs the engine knows of itself without a file: it is
// the file without a name. Elsewhere there is none; then the error says what is wanted.
func (a *Args) Own(want string) []byte {
	if a.read == nil {
		return nil
	}
	data, err := a.read("")
	if err != nil {
		a.Want(0, want)
	}
	return data
}

// WantFor reports an error in a parameter's value: what it should be.
func (a *Args) WantFor(name, what string) { a.wantAt(a.value(name).from, what) }

// value returns the value of a parameter, nothing after an error.
func (a *Args) value(name string) arg {
	for i, n := range a.names {
		if n == name && a.err == nil {
			return a.values[i]
		}
	}
	return arg{}
}

// split finds the values.
func (a *Args) split() {
	at, more := a.from, a.to > a.from
	for i := 0; more; i++ {
		var item string
		item, _, more = items.Cut(a.spec[at:a.to], ',')
		a.argument(at, item, i)
		at += len(item) + 1
	}
}

// argument takes argument i, which begins at byte at.
func (a *Args) argument(at int, item string, i int) {
	to := at + len(item)
	if _, value, ok := items.Cut(item, '='); ok {
		a.named(named{at, to - len(value), to})
	} else if i < len(a.names) {
		a.take(i, named{at, at, to})
	} else {
		a.wantAt(at, oneOf(a.names))
	}
}

// named takes an argument with a name.
func (a *Args) named(x named) {
	for i, name := range a.names {
		if name == a.spec[x.at:x.value-1] {
			a.take(i, x)
			return
		}
	}
	a.unknown = append(a.unknown, x)
}

// take takes the value of parameter i.
func (a *Args) take(i int, x named) {
	switch {
	case a.values[i].to != 0:
		a.wantAt(x.at, a.names[i]+" once")
	case x.value == x.to:
		a.wantAt(x.value, "a value")
	default:
		a.values[i] = arg{x.value, x.to}
	}
}

func oneOf(names []string) string {
	s := "one of "
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}
