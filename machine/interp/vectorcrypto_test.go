package interp

import (
	"crypto/aes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"math"
	integers "math/big"
	"math/rand/v2"
	"testing"
)

// These tests compute what the standard library computes, with the instructions that processors have for it. The
// sequences are those of Intel's manuals.

func (p pair) xor(q pair) pair { return pair{p.lo ^ q.lo, p.hi ^ q.hi} }

func (p pair) plus(q pair) pair {
	a, b := p.words(), q.words()
	return made(join(a[0]+b[0], a[1]+b[1], a[2]+b[2], a[3]+b[3]))
}

func made(lo, hi uint64) pair { return pair{lo, hi} }

func loaded(b []byte) pair {
	return pair{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// randomBlock returns a message of 40 bytes, and its only block with the padding, as words.
func randomBlock(r *rand.Rand) (message []byte, w [16]uint32) {
	var b [64]byte
	for i := range 40 {
		b[i] = byte(r.Uint32())
	}
	message = append(message, b[:40]...)
	b[40] = 0x80
	binary.BigEndian.PutUint64(b[56:], 8*40)
	for i := range w {
		w[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return message, w
}

func TestSHA256(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var k [64]uint32 // of the cube roots of the first primes
	for i, p := 0, uint64(2); i < len(k); p++ {
		if integers.NewInt(int64(p)).ProbablyPrime(20) {
			_, f := math.Modf(math.Cbrt(float64(p)))
			k[i] = uint32(f * (1 << 32))
			i++
		}
	}
	start := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	for range 100 {
		message, words := randomBlock(r)
		var w [4]pair // the next 16 words
		for i := range w {
			w[i] = made(join(words[4*i], words[4*i+1], words[4*i+2], words[4*i+3]))
		}
		abef, cdgh := made(join(start[5], start[4], start[1], start[0])), made(join(start[7], start[6], start[3], start[2]))
		for i := 0; i < 64; i += 4 {
			wk := w[0].plus(made(join(k[i], k[i+1], k[i+2], k[i+3])))
			cdgh = made(crypto(cSha256Rounds, 0, cdgh, abef, wk))
			abef = made(crypto(cSha256Rounds, 0, abef, cdgh, pair{lo: wk.hi}))
			next := made(crypto(cSha256Message1, 0, w[0], w[1], pair{}))
			a, b := w[2].words(), w[3].words()
			next = made(crypto(cSha256Message2, 0, next.plus(made(join(a[1], a[2], a[3], b[0]))), w[3], pair{}))
			w = [4]pair{w[1], w[2], w[3], next}
		}
		x, y := abef.words(), cdgh.words()
		var got [32]byte
		for i, v := range [8]uint32{x[3], x[2], y[3], y[2], x[1], x[0], y[1], y[0]} {
			binary.BigEndian.PutUint32(got[4*i:], v+start[i])
		}
		if want := sha256.Sum256(message); got != want {
			t.Fatalf("SHA-256 of %x is %x, want %x", message, got, want)
		}
	}
}

func TestSHA1(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	start := [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}
	for range 100 {
		message, words := randomBlock(r)
		var w [4]pair // the next 16 words, the first of four in the highest place
		for i := range w {
			w[i] = made(join(words[4*i+3], words[4*i+2], words[4*i+1], words[4*i]))
		}
		abcd := made(join(start[3], start[2], start[1], start[0]))
		before, e := pair{}, made(join(0, 0, 0, start[4])).plus(w[0])
		for i := range 20 {
			if i > 0 {
				e = made(crypto(cSha1Next, 0, before, w[0], pair{}))
			}
			before = abcd
			abcd = made(crypto(cSha1Rounds, uint64(i/5), abcd, e, pair{}))
			next := made(crypto(cSha1Message1, 0, w[0], w[1], pair{}))
			next = made(crypto(cSha1Message2, 0, next.xor(w[2]), w[3], pair{}))
			w = [4]pair{w[1], w[2], w[3], next}
		}
		last := made(crypto(cSha1Next, 0, before, made(join(0, 0, 0, start[4])), pair{}))
		x := abcd.words()
		var got [20]byte
		for i, v := range [5]uint32{x[3] + start[0], x[2] + start[1], x[1] + start[2], x[0] + start[3], last.words()[3]} {
			binary.BigEndian.PutUint32(got[4*i:], v)
		}
		if want := sha1.Sum(message); got != want {
			t.Fatalf("SHA-1 of %x is %x, want %x", message, got, want)
		}
	}
}

func TestAES(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		var key, plain, want [16]byte
		for i := range key {
			key[i], plain[i] = byte(r.Uint32()), byte(r.Uint32())
		}
		c, err := aes.NewCipher(key[:])
		if err != nil {
			t.Fatal(err)
		}
		c.Encrypt(want[:], plain[:])
		keys := [11]pair{loaded(key[:])}
		for i, rcon := range [10]uint64{1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36} {
			x := keys[i].words()
			last := made(crypto(cKeyAssist, rcon, pair{}, keys[i], pair{})).words()[3]
			x[0] ^= last
			for j := range 3 {
				x[j+1] ^= x[j]
			}
			keys[i+1] = made(join(x[0], x[1], x[2], x[3]))
		}
		s := loaded(plain[:]).xor(keys[0])
		for _, k := range keys[1:10] {
			s = made(crypto(cEncrypt, 0, s, k, pair{}))
		}
		s = made(crypto(cEncryptLast, 0, s, keys[10], pair{}))
		if s != loaded(want[:]) {
			t.Fatalf("AES of %x with %x is %x, want %x", plain, key, s, want)
		}
		s = s.xor(keys[10])
		for i := 9; i > 0; i-- {
			s = made(crypto(cDecrypt, 0, s, made(crypto(cInverseMix, 0, pair{}, keys[i], pair{})), pair{}))
		}
		s = made(crypto(cDecryptLast, 0, s, keys[0], pair{}))
		if s != loaded(plain[:]) {
			t.Fatalf("what AES decrypts with %x is %x, want %x", key, s, plain)
		}
	}
}

// TestCarryless multiplies polynomials as numbers whose digits, of a byte each, are too large for carries.
func TestCarryless(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	digits := func(x uint64) *integers.Int {
		var b [64]byte
		for i := range b {
			b[63-i] = byte(x >> i & 1)
		}
		return new(integers.Int).SetBytes(b[:])
	}
	for range 100 {
		a, b := pair{r.Uint64(), r.Uint64()}, pair{r.Uint64(), r.Uint64()}
		for _, x := range []struct{ imm, p, q uint64 }{{0, a.lo, b.lo}, {1, a.hi, b.lo}, {0x10, a.lo, b.hi},
			{0x11, a.hi, b.hi}} {
			var product [128]byte
			new(integers.Int).Mul(digits(x.p), digits(x.q)).FillBytes(product[:])
			var want pair
			for i := range 64 {
				want.lo |= uint64(product[127-i]&1) << i
				want.hi |= uint64(product[63-i]&1) << i
			}
			if got := made(crypto(cMultiply, x.imm, a, b, pair{})); got != want {
				t.Fatalf("%#x by %#x without carries is %x, want %x", x.p, x.q, got, want)
			}
		}
	}
}
