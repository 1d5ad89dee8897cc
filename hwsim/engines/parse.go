package engines

// This file reads descriptions.

import (
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/hwsim"
)

// A Registry is a list of kinds of engines. The first kind reads compact descriptions.
type Registry []*hwsim.Kind

// find returns the kind with a name, nil if there is none.
func (r Registry) find(name string) *hwsim.Kind {
	for _, k := range r {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// names returns the names of all kinds, for error messages.
func (r Registry) names() (s string) {
	for i, k := range r {
		if i > 0 {
			s += ", "
		}
		s += k.Name
	}
	return s
}

// Parse reads a description of an engine of the registry.
func (r Registry) Parse(text string, read hwsim.ReadFile) (*Spec, error) {
	if at, found := items.Unclosed(text); found {
		return nil, &hwsim.SyntaxError{Spec: text, Column: at + 1, Want: "both parentheses of a pair, both quotation marks"}
	}
	p := parser{r, text, read}
	s := &Spec{}
	for at, more := 0, true; more; {
		var stage string
		stage, _, more = items.Cut(text[at:], ':')
		kind, spec, err := p.stage(at, at+len(stage), at > 0)
		if err != nil {
			return nil, err
		}
		r, ok := spec.(hwsim.Ranger)
		ranges := kind.Ranges || ok && r.Ranges()
		if at += len(stage) + 1; more && ranges {
			return nil, &hwsim.SyntaxError{Spec: text, Column: at,
				Want: "the end: " + kind.Name + " sends ranges, which no other engine takes"}
		}
		s.stages = append(s.stages, spec)
		s.ranges = ranges
	}
	return s, nil
}

type parser struct {
	Registry
	text string
	read hwsim.ReadFile
}

// stage reads the engine in the bytes from from to to. Later says that it stands behind
// another engine.
func (p parser) stage(from, to int, later bool) (*hwsim.Kind, hwsim.Spec, error) {
	kind, start, end := p.Registry[0], from, from
	for end < to && isNamePart(p.text[end]) {
		end++
	}
	switch name := p.text[from:end]; {
	case end < to && p.text[end] == '(':
		if kind = p.find(name); kind == nil {
			return nil, nil, p.want(from, "one of "+p.names()+" before the parenthesis")
		}
		inside, rest := inParentheses(p.text[end:to])
		if rest != "" {
			return nil, nil, p.want(to-len(rest), ": or the end")
		}
		from, to = end+1, end+1+len(inside)
	case end == to && p.find(name) != nil:
		kind, from = p.find(name), to
	}
	if later && !kind.Weighted {
		return nil, nil, p.want(start, "an engine that takes messages with counts: "+kind.Name+" must be the first")
	}
	s, err := hwsim.NewArgs(p.text, from, to, later, p.read).Parse(kind)
	if err == nil {
		return kind, s, nil
	}
	const oneOf = "one of "
	if from == start && err.Column == start+1 && len(p.Registry) > 1 &&
		err.Want[:min(len(oneOf), len(err.Want))] == oneOf {
		err.Want = oneOf + p.Registry[1:].names() + ", " + err.Want[len(oneOf):]
	}
	return nil, nil, err
}

func (p parser) want(at int, what string) error {
	return &hwsim.SyntaxError{Spec: p.text, Column: at + 1, Want: what}
}

func isNamePart(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// inParentheses splits s, which begins with a parenthesis: into the text up to the matching
// one, and the text behind that.
func inParentheses(s string) (inside, rest string) {
	inside, rest, _ = items.Cut(s[1:], ')')
	return inside, rest
}
