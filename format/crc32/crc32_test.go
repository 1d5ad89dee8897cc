package crc32_test

import (
	std "hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/crc32"
)

func TestChecksumIsThatOfStd(t *testing.T) {
	if got := crc32.Checksum([]byte("123456789")); got != 0xcbf43926 {
		t.Errorf("got %#x, want 0xcbf43926", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if got, want := crc32.Checksum(data), std.ChecksumIEEE(data); got != want {
			t.Errorf("%d bytes: got %#x, want %#x", n, got, want)
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 12_000) // a block of a trace
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		crc32.Checksum(data)
	}
}
