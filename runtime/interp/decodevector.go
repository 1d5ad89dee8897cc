package interp

// vector decodes all that is not an integer instruction: SSE, AVX and AVX-512. The prefixes and the opcode have been
// read, and modrm comes next.
func (d *decoder) vector() bool { return false }
