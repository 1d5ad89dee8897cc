// Flips classifies the packets of a network by rules. Halfway, the traffic changes from that of a
// day to that of a night.
//
// It exercises branches whose bias changes for good: by day most packets are short ones of
// known connections from inside, with texts, and early rules take them; by night most are long ones
// from outside, of protocols without connections, with data, and late rules take them. The
// code stays the same. A profile of the first half is wrong about the second. Hot: the rules, and
// the scan of what packets carry.
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
)

const (
	packets = 4000   // of a batch
	batches = 12_000 // at 100 percent
)

var errUsage = errors.New("usage: flips [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	n := max(2, batches*scale/100)
	rng := rand.New(rand.NewPCG(18, 19))
	day, night := newBatch(rng, byDay), newBatch(rng, byNight)
	if secondInput {
		day, night = newBatch(rng, atNoon), newBatch(rng, atNoon)
	}
	w := newWall()
	for i := range n {
		traffic := day
		if i >= n/2 {
			traffic = night
		}
		for k := range traffic {
			w.take(&traffic[k])
		}
	}
	_, err = fmt.Printf("flips: %d batches, %d accepted, %d rejected, %d texts, checksum %08x\n", n, w.accepted, w.rejected, w.texts, w.sum)
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

type protocol byte

const (
	tcp protocol = iota
	udp
	icmp
)

type packet struct {
	from     uint32
	port     uint16
	protocol protocol
	opens    bool // it opens a connection
	load     []byte
}

// traffic says how many of 100 packets are what.
type traffic struct{ inside, tcp, opens, low, texts, long int }

var (
	byDay   = traffic{inside: 92, tcp: 94, opens: 3, low: 90, texts: 93, long: 8}
	byNight = traffic{inside: 7, tcp: 9, opens: 85, low: 12, texts: 6, long: 88}
	atNoon  = traffic{inside: 85, tcp: 80, opens: 60, low: 30, texts: 75, long: 60} // second input
)

func newBatch(rng *rand.Rand, t traffic) (batch []packet) {
	is := func(percent int) bool { return rng.IntN(100) < percent }
	for range packets {
		p := packet{from: 192<<24 | rng.Uint32N(1<<24), port: uint16(1024 + rng.IntN(60_000)), protocol: udp}
		if is(t.inside) {
			p.from = 10<<24 | rng.Uint32N(1<<10)
		}
		if is(t.tcp) {
			p.protocol, p.opens = tcp, is(t.opens)
		} else if is(10) {
			p.protocol = icmp
		}
		if is(t.low) {
			p.port = uint16(rng.IntN(1024))
		}
		p.load = make([]byte, 12)
		if is(t.long) {
			p.load = make([]byte, 20)
		}
		text := is(t.texts)
		for i := range p.load {
			switch {
			case text:
				p.load[i] = byte(' ' + rng.IntN(95))
			case is(80):
				p.load[i] = byte(rng.IntN(16)) // numbers are mostly small
			default:
				p.load[i] = byte(rng.IntN(256))
			}
		}
		batch = append(batch, p)
	}
	return batch
}

// A rule decides on packets of a protocol to a range of ports.
type rule struct {
	protocol protocol
	inside   bool
	low      uint16
	high     uint16
	accept   bool
}

type wall struct {
	rules []rule
	known map[uint32]int // packets of connections, by the sender

	accepted, rejected, texts int
	sum                       uint32
}

func newWall() *wall {
	return &wall{
		rules: []rule{
			{tcp, true, 0, 1023, true},
			{tcp, true, 1024, 65535, true},
			{tcp, false, 0, 1023, true},
			{udp, true, 0, 1023, true},
			{icmp, false, 0, 65535, false},
			{udp, false, 0, 1023, false},
			{udp, false, 1024, 65535, false},
		},
		known: make(map[uint32]int),
	}
}

func (w *wall) take(p *packet) {
	inside := p.from>>24 == 10
	if inside && p.protocol == tcp {
		if p.opens {
			w.known[p.from] = 0
		} else {
			w.known[p.from]++
		}
	}
	if w.accepts(p, inside) {
		w.accepted++
	} else {
		w.rejected++
	}
	if w.scan(p.load) {
		w.texts++
	}
}

// accepts returns what the first rule for a packet says.
func (w *wall) accepts(p *packet, inside bool) bool {
	for i := range w.rules {
		r := &w.rules[i]
		if r.protocol != p.protocol || r.inside != inside {
			continue
		}
		if r.low <= p.port && p.port <= r.high {
			return r.accept
		}
	}
	return false
}

// scan adds what a packet carries to the checksum, and reports whether it is mostly text.
func (w *wall) scan(load []byte) bool {
	letters := 0
	for _, c := range load {
		if c < ' ' || c > '~' {
			w.sum = w.sum<<1 ^ w.sum>>31 ^ uint32(c)
			continue
		}
		letters++
		if c >= 'a' || c < '0' {
			w.sum += uint32(c)
		}
	}
	return 2*letters > len(load)
}
