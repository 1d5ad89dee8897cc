package steptest

// This file executes single instructions in this process, which is a thousand times faster than single steps.

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// A State is what an instruction finds and leaves. R[4], the stack pointer, is not set.
type State struct {
	R     [16]uint64
	Flags uint64
	K     [8]uint64
	V     [32][8]uint64
}

// A Native executes instructions. It is a mapping of code, two states and memory for operands.
type Native struct {
	In, Out *State
	Data    []byte // the memory for operands
	Entry   uint64 // where the instruction is

	memory []byte
	slot   []byte
	avx512 bool
}

const (
	nativeSize = 1 << 16
	inAt       = 0x2000
	outAt      = 0x3000
	dataAt     = 0x8000
	slotSize   = 16
)

// NewNative makes the mapping. Without AVX-512, only 16 registers of 32 bytes are set and read.
func NewNative(avx512 bool) (*Native, error) {
	const prot = syscall.PROT_READ | syscall.PROT_WRITE | syscall.PROT_EXEC
	memory, err := syscall.Mmap(-1, 0, nativeSize, prot, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	n := &Native{memory: memory, avx512: avx512}
	n.In, n.Out = (*State)(unsafe.Pointer(&memory[inAt])), (*State)(unsafe.Pointer(&memory[outAt]))
	n.Data = memory[dataAt:]
	// PUSH of what Go keeps
	code := append([]byte{0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57}, n.rax(inAt)...)
	for i := range n.registers() {
		code = n.vector(code, i, 0x6f)
	}
	for i := 0; i < 8 && avx512; i++ {
		code = place(append(code, 0xc4, 0xe1, 0xf8, 0x90), i, int(unsafe.Offsetof(State{}.K))+8*i) // KMOVQ
	}
	code = place(append(code, 0xff), 6, int(unsafe.Offsetof(State{}.Flags))) // PUSH
	code = append(code, 0x9d)                                                // POPF
	for i := 15; i >= 0; i-- {
		if i != 4 {
			code = place(append(code, byte(0x48|i>>3<<2), 0x8b), i, 8*i)
		}
	}
	n.Entry = n.address(len(code))
	at := len(code)
	code = append(code, make([]byte, slotSize)...)
	code = append(code, 0x48, 0xa3) // MOV [address], RAX
	code = binary.LittleEndian.AppendUint64(code, n.address(outAt))
	code = append(append(code, 0x9c), n.rax(outAt)...)                       // PUSHF
	code = place(append(code, 0x8f), 0, int(unsafe.Offsetof(State{}.Flags))) // POP
	for i := 1; i < 16; i++ {
		code = place(append(code, byte(0x48|i>>3<<2), 0x89), i, 8*i)
	}
	for i := range n.registers() {
		code = n.vector(code, i, 0x7f)
	}
	for i := 0; i < 8 && avx512; i++ {
		code = place(append(code, 0xc4, 0xe1, 0xf8, 0x91), i, int(unsafe.Offsetof(State{}.K))+8*i)
	}
	code = append(code, 0xfc, 0xc5, 0xf8, 0x77)                                                       // CLD, VZEROUPPER
	code = append(code, 0x45, 0x0f, 0x57, 0xff)                                                       // XORPS X15, X15
	code = append(code, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3, 0xcc, 0xcc) // POP, RET
	copy(memory, code)
	n.slot = memory[at : at+slotSize]
	return n, nil
}

func (n *Native) address(at int) uint64 { return uint64(uintptr(unsafe.Pointer(&n.memory[at]))) }

// Address is where Data begins.
func (n *Native) Address() uint64 { return n.address(dataAt) }

func (n *Native) registers() int {
	if n.avx512 {
		return 32
	}
	return 16
}

// rax is MOV RAX, address.
func (n *Native) rax(at int) []byte {
	return binary.LittleEndian.AppendUint64([]byte{0x48, 0xb8}, n.address(at))
}

// vector adds the load or store of vector register i.
func (n *Native) vector(code []byte, i int, opcode byte) []byte {
	r := byte(^i >> 3 & 1 << 7)
	if n.avx512 {
		code = append(code, 0x62, r|0x61|byte(^i>>4&1<<4), 0xfe, 0x48, opcode)
	} else {
		code = append(code, 0xc4, r|0x61, 0x7e, opcode)
	}
	return place(code, i, int(unsafe.Offsetof(State{}.V))+64*i)
}

// place adds the operands: register reg, and a displacement from RAX.
func place(code []byte, reg, disp int) []byte {
	return binary.LittleEndian.AppendUint32(append(code, byte(0x80|reg&7<<3)), uint32(disp))
}

// Set puts an instruction of at most 15 bytes to Entry.
func (n *Native) Set(insn []byte) {
	for i := range n.slot {
		n.slot[i] = 0x90
	}
	copy(n.slot, insn)
}

// Run executes it.
func (n *Native) Run() {
	// A function value points to the address of the code.
	entry := &n.memory[0]
	f := &entry
	(*(*func())(unsafe.Pointer(&f)))()
}
