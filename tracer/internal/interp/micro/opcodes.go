package micro

import "golang.org/x/arch/x86/x86asm"

// binary has instructions with two operands, of which the first is the destination.
var binary = map[x86asm.Op]Kind{
	x86asm.ADD: KindAdd, x86asm.ADC: KindAdc, x86asm.SUB: KindSub, x86asm.SBB: KindSbb, x86asm.AND: KindAnd, x86asm.OR: KindOr,
	x86asm.XOR: KindXor, x86asm.CMP: KindCmp, x86asm.TEST: KindTest, x86asm.BSF: KindBsf, x86asm.BSR: KindBsr,
}

// unary has instructions whose only operand is the destination.
var unary = map[x86asm.Op]Kind{
	x86asm.INC: KindInc, x86asm.DEC: KindDec, x86asm.NEG: KindNeg, x86asm.NOT: KindNot,
}

// sourceOnly has instructions that do not read their destination.
var sourceOnly = map[x86asm.Op]Kind{
	x86asm.MOVZX: KindMov, x86asm.MOVBE: KindBswap, x86asm.TZCNT: KindTzcnt, x86asm.LZCNT: KindLzcnt, x86asm.POPCNT: KindPopcnt,
}

// stopped has instructions for which there is a reason of its own.
var stopped = map[x86asm.Op]Stop{
	x86asm.MOVSB: String, x86asm.MOVSW: String, x86asm.MOVSD: String, x86asm.MOVSQ: String,
	x86asm.STOSB: String, x86asm.STOSW: String, x86asm.STOSD: String, x86asm.STOSQ: String,
	x86asm.LODSB: String, x86asm.LODSW: String, x86asm.LODSD: String, x86asm.LODSQ: String,
	x86asm.CMPSB: String, x86asm.CMPSW: String, x86asm.CMPSD: String, x86asm.CMPSQ: String,
	x86asm.SCASB: String, x86asm.SCASW: String, x86asm.SCASD: String, x86asm.SCASQ: String,
	x86asm.SYSCALL: Syscall, x86asm.SYSENTER: Syscall,
	x86asm.INT: Trap, x86asm.ICEBP: Trap, x86asm.HLT: Trap, x86asm.UD0: Trap, x86asm.UD1: Trap, x86asm.UD2: Trap,
}

type condition struct {
	kind Kind
	cond uint8
}

// conditions has conditional instructions.
var conditions = map[x86asm.Op]condition{}

func init() {
	for kind, ops := range map[Kind][16]x86asm.Op{
		KindJcc: {x86asm.JO, x86asm.JNO, x86asm.JB, x86asm.JAE, x86asm.JE, x86asm.JNE, x86asm.JBE, x86asm.JA,
			x86asm.JS, x86asm.JNS, x86asm.JP, x86asm.JNP, x86asm.JL, x86asm.JGE, x86asm.JLE, x86asm.JG},
		KindCmov: {x86asm.CMOVO, x86asm.CMOVNO, x86asm.CMOVB, x86asm.CMOVAE, x86asm.CMOVE, x86asm.CMOVNE, x86asm.CMOVBE, x86asm.CMOVA,
			x86asm.CMOVS, x86asm.CMOVNS, x86asm.CMOVP, x86asm.CMOVNP, x86asm.CMOVL, x86asm.CMOVGE, x86asm.CMOVLE, x86asm.CMOVG},
		KindSetcc: {x86asm.SETO, x86asm.SETNO, x86asm.SETB, x86asm.SETAE, x86asm.SETE, x86asm.SETNE, x86asm.SETBE, x86asm.SETA,
			x86asm.SETS, x86asm.SETNS, x86asm.SETP, x86asm.SETNP, x86asm.SETL, x86asm.SETGE, x86asm.SETLE, x86asm.SETG},
	} {
		for cond, op := range ops {
			conditions[op] = condition{kind, uint8(cond)}
		}
	}
}

func set(ops ...x86asm.Op) map[x86asm.Op]bool {
	m := map[x86asm.Op]bool{}
	for _, op := range ops {
		m[op] = true
	}
	return m
}
