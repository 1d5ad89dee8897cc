package toolexec

import "github.com/pepgo/pep/instrument"

// PlantMistake has f change what becomes of packages.
func PlantMistake(f func(*instrument.Result)) { plantMistake = f }
