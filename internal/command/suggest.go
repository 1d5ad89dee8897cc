package command

// This file suggests what the user may have meant.

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Meant ends a message about a name that does not exist: `: did you mean "top"?` for tpo if top is one of
// the names, and "" if none is near.
func Meant(name string, names []string) string {
	n := utf8.RuneCountInString(name)
	best, least := "", min(n, 1+max(n/3, 1)) // a name of which nothing is right is not near
	for _, n := range names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	begins := func(n string) bool { return strings.HasPrefix(n, name) }
	if i := slices.IndexFunc(names, begins); best == "" && i >= 0 && !slices.ContainsFunc(names[i+1:], begins) {
		best = names[i] // it is the beginning of one name only
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// distance is how many characters must be inserted, deleted, replaced or exchanged with the next one to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			d := rows[i-1][j-1]
			if s[i-1] != t[j-1] {
				d++
			}
			d = min(d, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(s)][len(t)]
}
