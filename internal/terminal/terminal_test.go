package terminal

import "testing"

func TestEscape(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"Plain text stays.", "main.(*T).größe·p12 \"a\\b\"\tx", "main.(*T).größe·p12 \"a\\b\"\tx"},
		{"An escape sequence.", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"The one-byte and the two-byte form of CSI.", "\x9b2J \u009b2J", `\x9b2J \u009b2J`},
		{"Line breaks and other controls.", "a\nb\rc\x00d\x7f\b", `a\nb\rc\x00d\x7f\b`},
		{"Writing directions.", "a\u202eb\u2066c\u200fd", `a\u202eb\u2066c\u200fd`},
		{"Line separators and blanks that take no space.", "a\u2028b\u00a0c\u200bd\ufeff", `a\u2028b\u00a0c\u200bd\ufeff`},
		{"Invalid UTF-8, and a replacement character that is valid.", "a\xff\xc3 \ufffd", `a\xff\xc3 ` + "\ufffd"},
		{"A surrogate.", "\xed\xa0\x80", `\xed\xa0\x80`},
	} {
		if got := Escape(test.in); got != test.want {
			t.Errorf("%s got %s, want %s", test.name, got, test.want)
		}
	}
}
