// Raytrace renders a scene of spheres above a chequered floor, with shadows and
// mirrors, from cameras that go round it.
//
// It exercises floating-point arithmetic over a tree of boxes: recursion, short
// methods on small structs, loads of many different numbers. Hot: the search for what
// a ray meets.
package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

const (
	spheres = 3000
	side    = 160 // pixels of an image
	images  = 75  // at 100 percent
	mirrors = 3   // reflections that a ray is followed through
)

var errUsage = errors.New("usage: raytrace [percent]")

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
	s := newScene(rand.New(rand.NewPCG(12, 13)))
	n := max(1, images*scale/100)
	sum := crc32.NewIEEE()
	var row [side]byte
	for i := range n {
		angle := 2 * math.Pi * float64(i) / images
		eye := vec{12 * math.Cos(angle), 4 + 2*math.Sin(3*angle), 12 * math.Sin(angle)}
		forward := eye.times(-1).unit()
		right := vec{-forward.z, 0, forward.x}.unit()
		up := right.cross(forward)
		for y := range side {
			for x := range side {
				dx, dy := float64(2*x-side+1)/side, float64(side-2*y-1)/side
				at := forward.plus(right.times(dx)).plus(up.times(dy))
				row[x] = byte(255 * min(1, s.light(ray{eye, at.unit()}, mirrors)))
			}
			sum.Write(row[:])
		}
	}
	var buf [4]byte
	binary.LittleEndian.PutUint32(buf[:], uint32(n))
	sum.Write(buf[:])
	_, err = fmt.Fprintf(stdout, "raytrace: %d images, checksum %08x\n", n, sum.Sum32())
	return err
}

type vec struct{ x, y, z float64 }

func (a vec) plus(b vec) vec      { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) minus(b vec) vec     { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) times(k float64) vec { return vec{a.x * k, a.y * k, a.z * k} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) unit() vec           { return a.times(1 / math.Sqrt(a.dot(a))) }
func (a vec) axis(k int) float64  { return [3]float64{a.x, a.y, a.z}[k] }
func (a vec) least(b vec) vec     { return vec{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)} }
func (a vec) most(b vec) vec      { return vec{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)} }
func (a vec) cross(b vec) vec     { return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x} }
func (a vec) mirrored(n vec) vec  { return a.minus(n.times(2 * a.dot(n))) }
func (r ray) after(t float64) vec { return r.from.plus(r.to.times(t)) }
func (s *sphere) extent() (lo, hi vec) {
	d := vec{s.radius, s.radius, s.radius}
	return s.centre.minus(d), s.centre.plus(d)
}

// A ray goes from a point in a direction of length 1.
type ray struct{ from, to vec }

type sphere struct {
	centre vec
	radius float64
	shade  float64 // how bright, from 0 to 1
	mirror float64 // how much is reflected, from 0 to 1
}

// meets returns how far the ray goes before it meets s, infinity if it does not.
func (s *sphere) meets(r ray) float64 {
	to := s.centre.minus(r.from)
	along := to.dot(r.to)
	d := along*along - to.dot(to) + s.radius*s.radius
	if d < 0 {
		return math.Inf(1)
	}
	root := math.Sqrt(d)
	if t := along - root; t > nearest {
		return t
	}
	if t := along + root; t > nearest {
		return t
	}
	return math.Inf(1)
}

// nearest keeps a ray from meeting what it comes from.
const nearest = 1e-6

// A box holds spheres, or two boxes.
type box struct {
	lo, hi      vec
	left, right *box
	spheres     []*sphere
}

// newBox returns a tree of boxes around spheres, which it sorts.
func newBox(all []*sphere) *box {
	b := &box{}
	b.lo, b.hi = all[0].extent()
	for _, s := range all[1:] {
		lo, hi := s.extent()
		b.lo, b.hi = b.lo.least(lo), b.hi.most(hi)
	}
	if len(all) <= 4 {
		b.spheres = all
		return b
	}
	longest, size := 0, b.hi.minus(b.lo)
	for k := 1; k < 3; k++ {
		if size.axis(k) > size.axis(longest) {
			longest = k
		}
	}
	slices.SortFunc(all, func(p, q *sphere) int { return cmp.Compare(p.centre.axis(longest), q.centre.axis(longest)) })
	b.left, b.right = newBox(all[:len(all)/2]), newBox(all[len(all)/2:])
	return b
}

// crossed reports whether a ray is in the box before it has gone the distance limit.
func (b *box) crossed(r ray, limit float64) bool {
	from, to := 0.0, limit
	for k := range 3 {
		inverse := 1 / r.to.axis(k)
		p, q := (b.lo.axis(k)-r.from.axis(k))*inverse, (b.hi.axis(k)-r.from.axis(k))*inverse
		from, to = max(from, min(p, q)), min(to, max(p, q))
	}
	return from <= to
}

// first returns the sphere that a ray meets first within limit, nil for none, and how
// far away it is.
func (b *box) first(r ray, limit float64) (met *sphere, t float64) {
	if !b.crossed(r, limit) {
		return nil, limit
	}
	for _, s := range b.spheres {
		if d := s.meets(r); d < limit {
			met, limit = s, d
		}
	}
	for _, part := range []*box{b.left, b.right} {
		if part == nil {
			continue
		}
		if s, d := part.first(r, limit); s != nil {
			met, limit = s, d
		}
	}
	return met, limit
}

type scene struct {
	spheres *box
	sun     vec
}

func newScene(rng *rand.Rand) *scene {
	n, least, mirror := spheres, 0.02, 2
	if secondInput {
		n, least, mirror = 150, 0.3, 1
	}
	all := make([]*sphere, n)
	for i := range all {
		all[i] = &sphere{
			centre: vec{rng.NormFloat64() * 3, rng.Float64() * 4, rng.NormFloat64() * 3},
			radius: least + 0.1*rng.ExpFloat64(),
			shade:  rng.Float64(),
			mirror: float64(rng.IntN(mirror)) * rng.Float64(),
		}
	}
	return &scene{newBox(all), vec{1, 2, 0.5}.unit()}
}

// light returns how much light comes along a ray.
func (s *scene) light(r ray, mirrors int) float64 {
	met, t := s.spheres.first(r, math.Inf(1))
	floor := math.Inf(1)
	if r.to.y < 0 {
		floor = (-1 - r.from.y) / r.to.y
	}
	switch {
	case met == nil && math.IsInf(floor, 1):
		return 0.3 + 0.7*max(0, r.to.y) // the sky
	case met == nil || floor < t:
		at := r.after(floor)
		shade := 0.4 + 0.4*float64((int(math.Floor(at.x))+int(math.Floor(at.z)))&1)
		return shade * s.lit(at, vec{0, 1, 0})
	}
	at := r.after(t)
	normal := at.minus(met.centre).unit()
	own := met.shade * s.lit(at, normal)
	if met.mirror == 0 || mirrors == 0 {
		return own
	}
	return own*(1-met.mirror) + met.mirror*s.light(ray{at, r.to.mirrored(normal)}, mirrors-1)
}

// lit returns how much of the sun a surface sees.
func (s *scene) lit(at, normal vec) float64 {
	const ambient = 0.2
	toward := s.sun.dot(normal)
	if toward <= 0 {
		return ambient
	}
	if met, _ := s.spheres.first(ray{at, s.sun}, math.Inf(1)); met != nil {
		return ambient
	}
	return ambient + (1-ambient)*toward
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
