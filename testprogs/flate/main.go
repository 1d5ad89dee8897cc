// Flate compresses generated text and binary records at several levels and
// inflates them again.
//
// It exercises tight loops over bytes with hash chains, bit buffers and
// Huffman tables, nearly without allocation. Hot: compress/flate alone.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
)

// levels are taken in turn, so that every encoder of the package has its share.
var levels = []int{flate.BestSpeed, 2, 4, flate.DefaultCompression, flate.BestCompression, flate.HuffmanOnly}

const (
	inputSize = 128 << 10 // bytes in each of the inputs
	trips     = 480       // round trips at 100 percent
)

var errUsage = errors.New("usage: flate [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	inputs := [][]byte{text(rng, inputSize), records(rng, inputSize)}
	if secondInput {
		inputs = [][]byte{digits(rng, inputSize), runs(rng, inputSize)}
	}
	codecs := make([]*codec, len(levels))
	for i, level := range levels {
		if codecs[i], err = newCodec(level); err != nil {
			return err
		}
	}
	sum := crc32.NewIEEE()
	size := 0
	n := max(1, trips*scale/100)
	for i := range n {
		level := i / len(inputs) % len(levels)
		packed, err := codecs[level].roundTrip(inputs[i%len(inputs)])
		if err != nil {
			return fmt.Errorf("flate: level %d: %w", levels[level], err)
		}
		sum.Write(packed)
		size += len(packed)
	}
	_, err = fmt.Fprintf(stdout, "flate: %d round trips, %d bytes packed, checksum %08x\n", n, size, sum.Sum32())
	return err
}

// A codec is a compressor of one level and a decompressor, both used again and
// again: their tables are large.
type codec struct {
	packed, back bytes.Buffer
	w            *flate.Writer // to packed
	r            io.ReadCloser // a flate.Resetter
}

func newCodec(level int) (*codec, error) {
	var c codec
	var err error
	if c.w, err = flate.NewWriter(&c.packed, level); err != nil {
		return nil, err
	}
	c.r = flate.NewReader(&c.packed)
	return &c, nil
}

// roundTrip returns the compressed data after making sure that it inflates to
// the original. The result is valid until the next call.
func (c *codec) roundTrip(data []byte) ([]byte, error) {
	c.packed.Reset()
	c.w.Reset(&c.packed)
	if _, err := c.w.Write(data); err != nil {
		return nil, err
	}
	if err := c.w.Close(); err != nil {
		return nil, err
	}
	packed := c.packed.Bytes()
	if err := c.r.(flate.Resetter).Reset(bytes.NewReader(packed), nil); err != nil {
		return nil, err
	}
	c.back.Reset()
	if _, err := c.back.ReadFrom(c.r); err != nil {
		return nil, err
	}
	if !bytes.Equal(c.back.Bytes(), data) {
		return nil, errors.New("inflated data differ from the original")
	}
	return packed, nil
}

// text returns size bytes of sentences over a vocabulary in which low-numbered
// words are frequent.
func text(rng *rand.Rand, size int) []byte {
	words := make([][]byte, 2000)
	for i := range words {
		word := make([]byte, 2+rng.IntN(9))
		for j := range word {
			word[j] = "etaoinshrdlucmfw"[rng.IntN(1+rng.IntN(16))]
		}
		words[i] = word
	}
	var out []byte
	for len(out) < size {
		out = append(out, words[rng.IntN(1+rng.IntN(len(words)))]...)
		if rng.IntN(12) == 0 {
			out = append(out, ".\n"...)
		} else {
			out = append(out, ' ')
		}
	}
	return out[:size]
}

// records returns size bytes of fixed-size records: a counter, a random walk, a
// flag and noise.
func records(rng *rand.Rand, size int) []byte {
	var out []byte
	walk := int32(0)
	for i := uint32(0); len(out) < size; i++ {
		walk += rng.Int32N(65) - 32
		out = binary.LittleEndian.AppendUint32(out, i)
		out = binary.LittleEndian.AppendUint32(out, uint32(walk))
		out = append(out, byte(rng.IntN(2)), 0, 0, byte(rng.Uint32()))
	}
	return out[:size]
}

// digits returns size bytes of hexadecimal numbers.
func digits(rng *rand.Rand, size int) []byte {
	var out []byte
	for len(out) < size {
		out = fmt.Appendf(out, "%x\n", rng.Uint64())
	}
	return out[:size]
}

// runs returns size bytes, of which many that follow each other are the same.
func runs(rng *rand.Rand, size int) []byte {
	var out []byte
	for len(out) < size {
		out = append(out, bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(200))...)
	}
	return out[:size]
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
