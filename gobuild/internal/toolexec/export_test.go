package toolexec

import "github.com/pepgo/pep/instrument"

// PlantMistake has f change what becomes of packages.
func PlantMistake(f func(*instrument.Result)) { plantMistake = f }

// MakeRoomTooSmall has programs linked with too little room for their tables.
func MakeRoomTooSmall() { roomFor = func([]packageTables, string) int { return 1 } }
