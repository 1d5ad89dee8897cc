package facts

// This file reads facts, and adds up those of profiles that are merged.

import "github.com/pepgo/pep/format/digits"

// In reports whether a comment has facts.
func In(comment string) bool { return len(comment) >= len(Mark) && comment[:len(Mark)] == Mark }

// Decode reads a comment with facts. The problem is the end of a sentence for the user, or "".
func Decode(comment string) (f List, problem string) {
	number, rest := cut(comment[len(Mark):], ' ')
	switch v, ok := digits.Parse(number); {
	case !ok:
		return nil, "damaged: " + Mark + number + " is no version"
	case v != Version:
		return nil, "of version " + number + ", and this pep reads version " + digits.Uint(Version) +
			": read it with the pep that belongs to the pepbuild which built the program, or build the program with the pepbuild that belongs to this pep and run it again"
	}
	for rest != "" {
		var item string
		item, rest = cut(rest, ' ')
		x, problem := decodeFact(item)
		if problem != "" {
			return nil, "damaged: its fact " + item + " " + problem
		}
		if len(f) == maxFacts {
			return nil, "damaged: it has more facts than there are"
		}
		for _, y := range f {
			if y.Key == x.Key && y.Name == x.Name {
				return nil, "damaged: it has the fact " + item + " twice"
			}
		}
		f = append(f, x)
	}
	return f, ""
}

// maxFacts is how many facts a profile has at most.
const maxFacts = int(numKeys) + 3*maxNames + maxInside

func decodeFact(item string) (x Fact, problem string) {
	key, value := cut(item, '=')
	name, of := cut(key, '/')
	for k := Mode; k < numKeys; k++ {
		if k.kind().name != name {
			continue
		}
		x.Key = k
		var ok bool
		if x.Name, ok = unescape(of); !ok || (k.kind().rule == names) != (len(key) > len(name)) {
			return x, "has no name that can be read"
		}
		switch {
		case !k.kind().text:
			if x.N, ok = digits.Parse(value); !ok {
				return x, "is no number of up to 18 digits"
			}
		default:
			if x.Text, ok = unescape(value); !ok || x.Text == "" {
				return x, "is no text"
			}
			if k == Mode && x.Text != ModeExact && x.Text != ModeCover && x.Text != ModeSampled && x.Text != ModeTaps &&
				x.Text != ModeReplay {
				return x, "is no mode"
			}
		}
		return x, ""
	}
	return x, "is unknown"
}

// cut returns what is before and behind the first separator.
func cut(s string, separator byte) (before, behind string) {
	for i := range len(s) {
		if s[i] == separator {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// unescape is the inverse of escape.
func unescape(s string) (text string, ok bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) {
				return "", false
			}
			high, ok1 := nibble(s[i+1])
			low, ok2 := nibble(s[i+2])
			if !ok1 || !ok2 {
				return "", false
			}
			c = high<<4 | low
			i += 2
		}
		b = append(b, c)
	}
	return string(b), true
}

func nibble(c byte) (n byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// Merge returns the facts of all profiles of a list: those of profiles with the same settings are added up, and others
// stay apart. The problem is the end of a sentence for the user, or "".
func Merge(list []List) (sums []List, problem string) {
	index := make(map[string]int) // of sums
	for _, f := range list {
		settings := f.settings()
		i, ok := index[settings]
		if !ok {
			index[settings] = len(sums)
			sums = append(sums, f)
			continue
		}
		if sums[i], problem = add(sums[i], f); problem != "" {
			return nil, problem
		}
	}
	return sums, ""
}

// settings returns a text that is the same for facts that add up.
func (f List) settings() string {
	var list List
	for _, x := range f {
		if x.Key.kind().rule == same {
			list = append(list, x)
		}
	}
	return list.Encode()
}

func add(f, g List) (all List, problem string) {
	for k := range numKeys {
		x, y := f.find(k), g.find(k)
		switch k.kind().rule {
		case same:
			all.set(x)
		case sum:
			if x.N+y.N > most {
				return nil, "the facts " + k.kind().name + " add up to more than 18 digits: merge fewer"
			}
			all.Set(k, x.N+y.N)
		case least:
			switch {
			case x.Key != k:
				x = y
			case y.Key == k:
				x.N = min(x.N, y.N)
			}
			if x.Key == k {
				all.set(x)
			}
		case names:
			all = append(all, addNames(k, f, g)...)
		}
	}
	return all, ""
}

// addNames adds up the facts of a key by name. The number of a name that a list does not have is 0 if the list
// is complete, and else not known.
func addNames(k Key, f, g List) (list List) {
	rest := func(f List) uint64 { // of names that are not in the list
		n := f.Number(k - 1) // the key before is that of the sum
		for _, x := range f {
			if x.Key == k {
				n -= min(n, x.N)
			}
		}
		return n
	}
	of := func(f List, name string) (n uint64, ok bool) {
		for _, x := range f {
			if x.Key == k && x.Name == name {
				return x.N, true
			}
		}
		return 0, false
	}
	for _, x := range f {
		if x.Key != k {
			continue
		}
		if n, ok := of(g, x.Name); ok || rest(g) == 0 {
			list.SetName(k, x.Name, x.N+n)
		}
	}
	for _, x := range g {
		if _, ok := of(f, x.Name); x.Key == k && !ok && rest(f) == 0 {
			list.SetName(k, x.Name, x.N)
		}
	}
	for i := range list {
		for j := i; j > 0 && (list[j].N > list[j-1].N || list[j].N == list[j-1].N && list[j].Name < list[j-1].Name); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list[:min(len(list), k.MaxNames())]
}
