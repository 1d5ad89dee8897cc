package interp

// vector executes an operation of a kind from kVector on. It returns false, with m.stop set, for a fault.
func (m *Machine) vector(o *op) bool {
	m.stop = Unknown
	return false
}
