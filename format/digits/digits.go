// Package digits writes integers as text and reads them, for packages that may
// not import strconv:
//
//	digits.Uint(200)     // "200"
//	digits.Int(-7)       // "-7"
//	digits.Hex(200)      // "0xc8"
//	digits.Parse("200")  // 200, true
package digits

// Uint returns u in decimal.
func Uint(u uint64) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = '0' + byte(u%10)
		if u /= 10; u == 0 {
			return string(b[i:])
		}
	}
}

// Int returns i in decimal.
func Int(i int64) string {
	if i < 0 {
		return "-" + Uint(-uint64(i))
	}
	return Uint(uint64(i))
}

// Hex returns u in hexadecimal, with 0x before it.
func Hex(u uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	i := len(b)
	for {
		i--
		b[i] = digits[u&15]
		if u >>= 4; u == 0 {
			return "0x" + string(b[i:])
		}
	}
}

// Parse reads a decimal number of at most 18 digits.
func Parse(s string) (n uint64, ok bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(s[i]-'0')
	}
	return n, true
}
