package capturetest

// This file has programs with an invariant that a finder has to find.

import (
	"fmt"
	"math/rand/v2"
)

// Hidden returns a program whose functions do many things, and the function and line of the one
// value that would be worth specialising. There are three programs, after what section
// 3.1 of the paper found: 0, a test for breakpoints that are never set, as in a
// simulator; 1, a power whose exponent is nearly always 3; 2, a global variable that is
// a constant, read over and over. The seed varies all else.
func Hidden(program int, seed uint64) (p *Program, function string, line int) {
	random := rand.New(rand.NewPCG(seed, 2))
	p = &Program{}
	p.Image.BuildID, p.Image.Path = fmt.Sprintf("%02x%08x", program, uint32(seed)), fmt.Sprintf("hidden%d", program)
	secret := Instruction{Code: "48 8b 48 18", Value: Always(0)} // mov rcx, [rax+0x18]
	time := 0.55
	switch program {
	case 1:
		secret.Value, time = Mostly(3, 0.93, Below(12)), 0.4
	case 2:
		secret.Code, secret.Value, time = "48 8b 0d 10 20 00 00", Always(32768), 0.3 // mov rcx, [rip+0x2010]
	}
	hot := random.IntN(4)
	left := 0.9 - time
	for i := range 8 {
		f := Function{Name: fmt.Sprintf("main.f%d", i), File: "x.go", Line: 100 * (i + 1)}
		if f.Time = time; i != hot {
			// Functions that take less time and have invariants as good, or better.
			f.Time = left * (0.1 + 0.3*random.Float64())
			left -= f.Time
		}
		n := 5 + random.IntN(10)
		for j := range n {
			f.Body = append(f.Body, decoy(random, f.Line+j+1))
		}
		if i == hot {
			secret.Line = f.Line + 50
			function, line = f.Name, secret.Line
			at := random.IntN(n)
			f.Body = append(f.Body[:at], append([]Instruction{secret}, f.Body[at:]...)...)
		} else {
			f.Body = append(f.Body, Instruction{Code: "48 8b 48 18", Line: f.Line + 60, Value: Always(7)})
		}
		// Each loop loads its length again and again: as invariant as a secret can be.
		// mov rbx, [rsp+0x20]
		f.Body = append(f.Body, Instruction{Code: "48 8b 5c 24 20", Line: f.Line + 65, Value: Always(1000)})
		// The end of the loop.
		f.Body = append(f.Body,
			Instruction{Code: "48 ff c2", Line: f.Line + 70, Value: Counter},                  // inc rdx
			Instruction{Code: "48 39 da", Line: f.Line + 70, Value: Counter},                  // cmp rdx, rbx
			Instruction{Code: "7c e0", Line: f.Line + 70, Value: Mostly(1, 0.999, Always(0))}, // jl
		)
		p.Functions = append(p.Functions, f)
	}
	return p, function, line
}

// decoy returns an instruction whose values cannot be specialised: constants without input,
// addresses, values that vary, more or less.
func decoy(random *rand.Rand, line int) Instruction {
	switch random.IntN(7) {
	case 0:
		return Instruction{Code: "b8 05 00 00 00", Line: line, Value: Always(5)} // mov eax, 5
	case 1:
		return Instruction{Code: "48 8b 44 24 10", Line: line, Value: Always(0xc000010000)} // mov rax, [rsp+0x10]
	case 2:
		return Instruction{Code: "48 8d 44 24 10", Line: line, Value: Always(0xc000012f40)} // lea rax, [rsp+0x10]
	case 3:
		return Instruction{Code: "48 01 c8", Line: line, Value: Below(1 << 40)} // add rax, rcx
	case 4:
		return Instruction{Code: "48 8b 0c d0", Line: line, Value: Mostly(1, 0.5, Below(1000))} // mov rcx, [rax+rdx*8]
	case 5:
		return Instruction{Code: "48 85 c9", Line: line, Value: Mostly(0, 0.3, Below(10))} // test rcx, rcx
	}
	return Instruction{Code: "31 c0", Line: line, Value: Always(0)} // xor eax, eax
}
