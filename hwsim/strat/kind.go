package strat

import "github.com/pepgo/pep/hwsim"

// Kind is the kind of engine to which compressors belong. ParseSpec parses their
// descriptions.
var Kind = &hwsim.Kind{
	Name:     "strat",
	Parse:    parseArgs,
	Weighted: true,
	Examples: []string{"P256", "P1", "C", "CP8", "A16", "H[P256]2048", "H[P256]2048+A16", "tag2-256-2048",
		"F1024-3+P2+A16", "F1024-3-never+P4", "H[P16]500@mul", "H[A3]20@xor"},
	Random: []string{"R16", "RC16", "CR16", "H[CR16]64+A16", "P8@phase", "F512-5-3000/4+H[P8]64",
		"H[P16]512+A4@seed=7@phase"},
}

func parseArgs(a *hwsim.Args) hwsim.Spec {
	s, err := parse(a.Text(), a.Later)
	if err != nil {
		a.Want(err.Column-1, err.Want)
	}
	return s
}
