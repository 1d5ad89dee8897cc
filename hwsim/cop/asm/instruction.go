package asm

// This file parses microinstructions.

import (
	"strings"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// The names of operations, predicates and fields, by their numbers. The disassembler
// uses the same names.
var (
	mainNames = []string{"", "mov", "add", "sub", "adds", "and", "or", "xor", "not", "shl1", "shr1", "shr8", "cmp",
		"rand"}
	indexNames   = []string{"", "inc", "dec", "sinc", "sdec", "mov", "clr", "set"}
	dataNames    = []string{"", "rd", "wr", "dinc", "dsinc", "dclr"}
	camNames     = []string{"", "match", "write", "inval"}
	predNames    = []string{"", "eq", "lt", "gt", "hit", "isat", "msat", "dsat", "empty"}
	partNames    = []string{"", "value", "hits", "misses", "total", "high"}
	sourceFields = []string{"pc", "value", "addr", "insn", "target", "class", "event", "op", "ra", "rb"}
)

// An instruction is a line during parsing.
type instruction struct {
	*scanner
	machine.Instr
	users []user // the users of the result of the main ALU
	taken map[string]bool
}

// A user is an operation that stores the result of the main ALU, or an operand that
// passes through the main ALU.
type user struct {
	token
	source machine.Source
	direct bool // the line gives the source
}

func (s *scanner) instruction(text string) {
	p := s.here()
	// A wrong line gets an instruction, too, so that branches over it keep their
	// distances. This instruction is one that may end a program.
	s.a.Code = append(s.a.Code, Code{machine.Instr{Not: true}, s.line, text})
	in := &instruction{scanner: s, taken: map[string]bool{}}
	for {
		in.operation()
		if len(s.tokens) == 0 {
			break
		}
		s.expect(";")
	}
	in.passOperands()
	decoded, err := machine.Decode(in.Encode())
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		s.a.fail(p, "%s", what)
	}
	s.a.Code[len(s.a.Code)-1].Instr = decoded
}

// unit records that the line uses a part of the machine. A line can use each part once.
func (in *instruction) unit(t token, name string) {
	if in.taken[name] {
		in.a.fail(in.at(t), "%s: this microinstruction uses %s already", t.text, name)
	}
	in.taken[name] = true
}

func (in *instruction) operation() {
	t := in.name("an operation")
	if t.text == "mov" {
		if _, ok := isRegister(in.peek(), "I", 8); ok && len(in.tokens) > 1 && in.tokens[1].text == "," {
			in.index(t)
			return
		}
	}
	switch {
	case indexOf(mainNames, t.text) >= 0:
		in.main(t)
	case indexOf(indexNames, t.text) >= 0:
		in.index(t)
	case indexOf(dataNames, t.text) >= 0:
		in.data(t)
	case indexOf(camNames, t.text) >= 0:
		in.cam(t)
	case t.text == "nop":
	case t.text == "if" || t.text == "goto" || t.text == "done" || t.text == "interrupt":
		in.branch(t)
	default:
		in.a.fail(in.at(t), "there is no operation %s", t.text)
	}
}

// main parses an operation of the main ALU.
func (in *instruction) main(t token) {
	in.unit(t, "the main ALU")
	in.Main = machine.MainOp(indexOf(mainNames, t.text))
	n := in.Main.Operands()
	if in.Main != machine.MainCmp && in.listLen() > n {
		i, ok := isRegister(in.peek(), "V", 8)
		if !ok {
			in.want("V0 to V7, the only registers that the main ALU writes")
		}
		in.next()
		in.Dst = 8 | uint8(i)
		in.expect(",")
	}
	in.A = in.operand()
	if n == 2 {
		in.expect(",")
		in.B = in.operand()
	}
}

// listLen returns the number of operands up to the next semicolon.
func (in *instruction) listLen() int {
	n := 1
	for _, t := range in.tokens {
		switch t.text {
		case ";":
			return n
		case ",":
			n++
		}
	}
	return n
}

// operand parses an operand of the main ALU.
func (in *instruction) operand() machine.Source {
	source, ok := operandNumber(in.peek())
	if !ok {
		if c := in.peek(); c != "" && '0' <= c[0] && c[0] <= '9' {
			in.want("an operand: a number must be in one of K0 to K15, by .const")
		}
		in.want("an operand: V0 to V7, K0 to K15, I0 to I7, M, or one of " + strings.Join(sourceFields, ", "))
	}
	in.next()
	return source
}

func operandNumber(text string) (machine.Source, bool) {
	if i, ok := isRegister(text, "V", 8); ok {
		return machine.SourceV + machine.Source(i), true
	}
	if i, ok := isRegister(text, "K", 16); ok {
		return machine.SourceK + machine.Source(i), true
	}
	if i, ok := isRegister(text, "I", 8); ok {
		return machine.SourceI + machine.Source(i), true
	}
	if text == "M" {
		return machine.SourceM, true
	}
	i := indexOf(sourceFields, text)
	return machine.SourcePC + machine.Source(max(i, 0)), i >= 0
}

// index parses an operation of the index ALU.
func (in *instruction) index(t token) {
	in.unit(t, "the index ALU")
	in.Index = machine.IndexOp(indexOf(indexNames, t.text))
	in.IndexDst = uint8(in.register("I", 8))
	switch in.Index {
	case machine.IndexClr:
	case machine.IndexSet:
		in.user(t)
	default:
		in.IndexSrc = in.IndexDst
		if in.accept(",") {
			in.IndexSrc = uint8(in.register("I", 8))
		}
	}
}

// user parses the operand of an operation that uses the result of the main ALU. The
// operand may be absent.
func (in *instruction) user(t token) {
	u := user{token: t}
	if in.accept(",") && !in.accept("result") {
		u.source, u.direct = in.operand(), true
		u.token = in.last
	}
	in.users = append(in.users, u)
}

// passOperands makes operands that are stored pass through the main ALU.
func (in *instruction) passOperands() {
	for i, u := range in.users {
		switch {
		case u.direct && in.Main != machine.MainNop:
			in.a.fail(in.at(u.token), "%s must pass through the main ALU, which has an operation in this line: store its result, or use another line", u.text)
		case u.direct && i > 0 && u.source != in.A:
			in.a.fail(in.at(u.token), "%s must pass through the main ALU, which passes another operand in this line", u.text)
		case !u.direct && in.Main == machine.MainNop:
			in.a.fail(in.at(u.token), "%s stores the result of the main ALU, which has no operation in this line", u.text)
		}
		if u.direct {
			in.A = u.source
		}
	}
}

// data parses an operation of the data array.
func (in *instruction) data(t token) {
	in.unit(t, "the data array")
	in.Data = machine.DataOp(indexOf(dataNames, t.text))
	in.Base = uint8(in.register("B", 4))
	in.expect("|")
	in.DataIndex = uint8(in.register("I", 8))
	if in.accept(".") {
		i := indexOf(partNames, in.peek())
		if i < 0 {
			in.want("one of value, hits, misses, total and high")
		}
		in.next()
		in.Field = machine.Field(i)
	}
	if in.Data == machine.DataWrite {
		in.user(t)
	}
}

// cam parses an operation of the associative array.
func (in *instruction) cam(t token) {
	in.unit(t, "the associative array")
	in.Cam = machine.CamOp(indexOf(camNames, t.text))
	in.CamIndex = uint8(in.register("I", 8))
	if in.Cam != machine.CamInval && in.peek() == "," {
		in.CamResult = true
		in.user(t)
	}
}

// branch parses the branch.
func (in *instruction) branch(t token) {
	in.unit(t, "the branch slot")
	in.Not = true // with the predicate never, the branch is always taken
	if t.text == "if" {
		in.Not = in.accept("!")
		i := indexOf(predNames, in.peek())
		if i < 0 {
			in.want("a predicate, one of " + strings.Join(predNames[1:], ", "))
		}
		in.next()
		in.Pred = machine.Pred(i)
		in.expect("goto")
	}
	in.Hint = in.Pred == machine.PredNever
	switch t.text {
	case "done":
		in.Branch = machine.BranchDone
	case "interrupt":
		in.Branch = machine.BranchInterrupt
	default:
		in.where()
	}
	switch {
	case in.accept("likely"):
		in.Hint = true
	case in.accept("unlikely"):
		in.Hint = false
	}
}

// where parses the target of a branch.
func (in *instruction) where() {
	sign := int64(1)
	switch text := in.peek(); {
	case in.accept("done"):
		in.Branch = machine.BranchDone
		return
	case in.accept("interrupt"):
		in.Branch = machine.BranchInterrupt
		return
	case text == "-":
		sign = -1
		fallthrough
	case text == "+":
		in.next()
		in.Offset = int8(sign * int64(in.number("a distance", 0, uint64(15+(1-sign)/2))))
		return
	}
	if i, ok := isRegister(in.peek(), "T", 4); ok {
		in.next()
		in.Branch, in.Offset = machine.BranchTarget, int8(i)
		return
	}
	t := in.name("a label, T0 to T3, done or interrupt")
	in.a.uses = append(in.a.uses, use{in.at(t), t.text, len(in.a.Code) - 1, 0})
}
