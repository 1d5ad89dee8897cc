// Package digits writes integers as text, for packages that may not import
// strconv:
//
//	digits.Uint(200)  // "200"
//	digits.Int(-7)    // "-7"
//	digits.Hex(200)   // "0xc8"
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
