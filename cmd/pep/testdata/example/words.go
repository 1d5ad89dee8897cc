package main

// count counts the words that begin with a vowel.
func count(words []string) int {
	n := 0
	for _, w := range words {
		if w != "" && isVowel(w[0]) {
			n++
		}
	}
	return n
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i':
		return true
	case 'o', 'u':
		return true
	}
	return false
}
