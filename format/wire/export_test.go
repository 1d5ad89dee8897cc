package wire

// Code returns the code of a kind of number: how many symbols have words of 1 bit, 2 bits and so on, and these symbols.
func Code(kind string) (lengths, symbols string) {
	c := codes[map[string]field{"nodes": nodes, "shape": shape, "moreOuts": moreOuts, "branchKind": branchKind,
		"edgeTo": edgeTo, "edgeFlags": edgeFlags, "edgeVal": edgeVal,
		"outcome": outcome, "starts": starts, "startNode": startNode, "startVal": startVal, "untolds": untolds,
		"untold": untold,
		"calls":  calls, "callNode": callNode, "callee": callee}[kind]]
	return c.lengths, c.symbols
}

// Codes is how many kinds of numbers there are.
const Codes = int(fields)

// AllCodes returns Code of each kind.
func AllCodes() (list [][2]string) {
	for _, c := range codes {
		list = append(list, [2]string{c.lengths, c.symbols})
	}
	return list
}

// Texts is how many texts tables have in common.
const Texts = uint64(len(known))
