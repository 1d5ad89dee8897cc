package figure

// This file says why ours differ from the papers, where that is known.

// reasons has, by figure and row, what explains a row that differs: found out by
// an experiment, not guessed.
var reasons = map[string]map[string]string{}

func reason(id, row string) string {
	if why, ok := reasons[id][row]; ok {
		return why
	}
	return "why has not been found out"
}
