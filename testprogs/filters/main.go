// Filters sends batches of images through a chain of filters, a batch at a time.
//
// It exercises values in phases: all filters share the code that reads pixels and sets
// their tone, and the parameters that this code loads stay the same for a whole batch
// before the next filter has other parameters. Between the phases the code differs, too,
// because each filter has a loop of its own. Hot: the loops over the pixels around a
// pixel.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

const (
	side   = 64  // pixels of an image
	batch  = 6   // images
	rounds = 640 // at 100 percent
)

var errUsage = errors.New("usage: filters [percent]")

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
	rng := rand.New(rand.NewPCG(16, 17))
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for range n {
		images := newBatch(rng)
		for i := range chain {
			f := &chain[i]
			for range f.passes {
				for k, m := range images {
					images[k] = f.apply(f, m)
				}
			}
		}
		for _, m := range images {
			sum.Write(m.pixels)
		}
	}
	var buf [4]byte
	binary.LittleEndian.PutUint32(buf[:], uint32(n))
	sum.Write(buf[:])
	_, err = fmt.Fprintf(stdout, "filters: %d batches of %d images, checksum %08x\n", n, batch, sum.Sum32())
	return err
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

type image struct {
	width, height int
	pixels        []byte
}

// newBatch returns images of noise with a bright square; in the second input there is more of the first.
func newBatch(rng *rand.Rand) (images []*image) {
	noise, bright := 64, byte(160)
	if secondInput {
		noise, bright = 230, 25
	}
	for range batch {
		m := newImage(side, side)
		x, y := rng.IntN(side/2), rng.IntN(side/2)
		for i := range m.pixels {
			m.pixels[i] = byte(rng.IntN(noise))
			if i%side-x < side/2 && i%side > x && i/side-y < side/2 && i/side > y {
				m.pixels[i] += bright
			}
		}
		images = append(images, m)
	}
	return images
}

func newImage(width, height int) *image {
	return &image{width, height, make([]byte, width*height)}
}

// at returns a pixel. Outside of the image it returns the nearest one inside.
func (m *image) at(x, y int) int {
	x, y = min(max(x, 0), m.width-1), min(max(y, 0), m.height-1)
	return int(m.pixels[y*m.width+x])
}

// A filter makes an image from another.
type filter struct {
	name   string
	passes int
	tone   tone
	apply  func(f *filter, m *image) *image
}

// A tone says what becomes of a filter's result.
type tone struct {
	gain, shift uint // the result is multiplied by gain / 2^shift
	bias        int
	least, most int
}

// of returns the pixel for a result.
func (t *tone) of(x int) byte {
	x = x*int(t.gain)>>t.shift + t.bias
	return byte(min(max(x, t.least), t.most))
}

// The filters of a batch, in order. Some take longer than others.
var chain = []filter{
	{"smooth", 3, tone{57, 9, 0, 0, 255}, smooth},
	{"sharpen", 1, tone{1, 2, 0, 8, 247}, sharpen},
	{"median", 1, tone{1, 0, 0, 0, 255}, median},
	{"edges", 2, tone{5, 3, 16, 16, 235}, edges},
	{"dilate", 5, tone{15, 4, -4, 0, 240}, dilate},
	{"relief", 2, tone{3, 1, 128, 0, 250}, relief},
}

// smooth adds up the nine pixels around each pixel.
func smooth(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	for y := range m.height {
		for x := range m.width {
			sum := 0
			for dy := -1; dy <= 1; dy++ {
				sum += m.at(x-1, y+dy) + m.at(x, y+dy) + m.at(x+1, y+dy)
			}
			r.pixels[y*r.width+x] = f.tone.of(sum)
		}
	}
	return r
}

// sharpen subtracts the pixels beside each pixel.
func sharpen(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	for y := range m.height {
		for x := range m.width {
			beside := m.at(x-1, y) + m.at(x+1, y) + m.at(x, y-1) + m.at(x, y+1)
			r.pixels[y*r.width+x] = f.tone.of(8*m.at(x, y) - beside)
		}
	}
	return r
}

// median takes the fifth of the nine pixels around each pixel.
func median(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	var around [9]int
	for y := range m.height {
		for x := range m.width {
			for i := range around {
				around[i] = m.at(x+i%3-1, y+i/3-1)
			}
			slices.Sort(around[:])
			r.pixels[y*r.width+x] = f.tone.of(around[4])
		}
	}
	return r
}

// edges has the differences across each pixel.
func edges(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	for y := range m.height {
		for x := range m.width {
			across, down := m.at(x+1, y)-m.at(x-1, y), m.at(x, y+1)-m.at(x, y-1)
			r.pixels[y*r.width+x] = f.tone.of(max(across, -across) + max(down, -down))
		}
	}
	return r
}

// dilate takes the brightest pixel of a cross.
func dilate(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	for y := range m.height {
		for x := range m.width {
			r.pixels[y*r.width+x] = f.tone.of(max(m.at(x, y), m.at(x-1, y), m.at(x+1, y), m.at(x, y-1), m.at(x, y+1)))
		}
	}
	return r
}

// relief has the slope from one corner to the other.
func relief(f *filter, m *image) *image {
	r := newImage(m.width, m.height)
	for y := range m.height {
		for x := range m.width {
			r.pixels[y*r.width+x] = f.tone.of(m.at(x+1, y+1) - m.at(x-1, y-1))
		}
	}
	return r
}
