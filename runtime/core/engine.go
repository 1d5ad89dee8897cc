package core

// engineExact is the engine that is none: every tuple is counted.
const engineExact = "exact"
