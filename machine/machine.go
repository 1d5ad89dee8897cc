// Package machine holds the source of the interpreter that is linked into programs. The packages below this one are
// what knows x86 and ELF:
//
//	interp      interprets instructions, in programs with windows and of other processes
//	insn        lengths of instructions, jumps, registers that they write
//	pclntab     the table of functions that the linker puts into programs
//	image       executables and processes: functions, lines, types, variables, moduledata
//	abi         where arguments and results are
//	site        the instructions of a function at which it can be probed; its blocks
//	executable  what is in the file of a program: site tables, code, functions, symbols, build IDs
//
// For example, abi asks image for the type of a parameter, and site asks insn for the length of an instruction. They
// import nothing of the rooms above: executable knows formats, and interp imports nothing at all.
package machine

import "embed"

// Source is the source of interp, without files whose names end in test.go. Package runtime says how it gets into
// programs.
//
//go:embed interp/*[^t].go interp/*[^s]t.go
var Source embed.FS
