// Package database keeps what a value sampler has found: hotlists of values, by binary, labels
// of the goroutine, instruction and kind of value.
//
//	db := database.New()
//	err := db.Collect(source, modules) // until the source ends
//	files, err := db.Save("values")    // values/app.5f3c….hotlists; one file per binary
//
//	db, err := database.Open("values") // all files of the directory
//	for _, b := range db.Binaries() {
//		for _, l := range b.Locations() {
//			l.Lists["result"].Top()
//		}
//	}
//
// Samples of two runs of a program add up: Save merges with the file that is there.
// Merged hotlists are as good as one hotlist of both runs (see package hotlist), and sums of
// samples are exact.
//
// The package does not know what values mean: modules do, and package report asks them.
//
// Source: Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000, section 2.
// They have one hotlist for each instruction, and mention one for each kind of value as an
// extension (section 2.4).
package database

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/hwsim/hotlist"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A List is a hotlist of values.
type List = hotlist.List[capture.Value]

// A Location is an instruction with what was sampled there.
type Location struct {
	Insn *capture.Instruction
	// Interrupts is how many runs began because the instruction was interrupted. It is a
	// sample of CPU time, with the processor's bias to some instructions.
	Interrupts uint64
	Lists      map[string]*List // by kind of value
}

// A Binary has the locations of an executable or shared object.
type Binary struct {
	Image      *capture.Image
	Interval   uint64 // ns of CPU time between interrupts
	Interrupts uint64 // runs whose interrupted instruction is in the image
	Lost       uint64 // runs that were lost while the samples were taken, of all images
	Comments   []string

	groups map[capture.Labels]*Group
}

// A Database has binaries.
type Database struct {
	// Elsewhere is how many runs began in no known image, such as in the kernel. Files do not
	// have it.
	Elsewhere uint64

	binaries map[string]*Binary
}

// New returns an empty database.
func New() *Database { return &Database{binaries: map[string]*Binary{}} }

// id names an image: two with one id have the same code.
func id(image *capture.Image) string { return cmp.Or(image.BuildID, image.Path) }

// Binaries returns the binaries, those with most interrupts first.
func (db *Database) Binaries() []*Binary {
	return slices.SortedFunc(maps.Values(db.binaries), func(a, b *Binary) int {
		return cmp.Or(cmp.Compare(b.Interrupts, a.Interrupts), cmp.Compare(id(a.Image), id(b.Image)))
	})
}

// Locations returns the locations of all goroutines in the order of their addresses. If there
// are several groups, they are sums, and not parts of the database.
func (b *Binary) Locations() []*Location {
	groups := b.Groups()
	if len(groups) == 1 {
		return groups[0].Locations()
	}
	sum := newGroup("")
	for _, g := range groups {
		for _, x := range g.Locations() {
			l := sum.location(x.Insn)
			l.Interrupts += x.Interrupts
			for kind, list := range x.Lists {
				if l.Lists[kind] == nil {
					l.Lists[kind] = b.newList("", x.Insn.PC, kind)
				}
				l.Lists[kind].Merge(list)
			}
		}
	}
	return sum.Locations()
}

// binary returns the binary of an image, a new one if there is none.
func (db *Database) binary(image *capture.Image) *Binary {
	b := db.binaries[id(image)]
	if b == nil {
		b = &Binary{Image: image, groups: map[capture.Labels]*Group{}}
		db.binaries[id(image)] = b
	}
	return b
}

// newList returns the hotlist of a kind of value. Its random choices depend on what it
// is of, so the same recording always makes the same database.
func (b *Binary) newList(labels capture.Labels, pc uint64, kind string) *List {
	return hotlist.New[capture.Value](b.seed(labels, pc, kind))
}

func (b *Binary) seed(labels capture.Labels, pc uint64, kind string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s%s", id(b.Image), pc, kind, labels)
	return h.Sum64()
}

// A Collector adds runs to a database.
type Collector struct {
	db       *Database
	modules  []capture.Module
	settings Settings
	wants    map[*capture.Instruction][]capture.Want // by module
	part     capture.Run                             // what one module gets of a run
	lost     uint64                                  // runs that were lost, and are counted
}

// Settings say how samples were taken. Binaries keep them.
type Settings struct {
	Interval uint64 // ns of CPU time between interrupts
	Comment  string
}

// Collector returns a collector of runs of which modules make samples.
func (db *Database) Collector(modules []capture.Module, s Settings) *Collector {
	return &Collector{db: db, modules: modules, wants: map[*capture.Instruction][]capture.Want{}, settings: s}
}

// Collect adds all runs of a source.
func (db *Database) Collect(source capture.Source, modules []capture.Module, s Settings) error {
	c := db.Collector(modules, s)
	for r := (capture.Run{}); ; {
		err := source.Next(&r)
		c.Lost(source.Lost())
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.Add(&r)
		}
		if err != nil {
			return err
		}
	}
}

// errFull is the error for a hotlist that files cannot keep if it grows.
var errFull = errors.New("the hotlist is full: save the database and begin a new one")

// Lost notes how many runs were lost so far.
func (c *Collector) Lost(lost uint64) {
	if lost != c.lost {
		for _, b := range c.db.binaries {
			b.Lost += lost - c.lost
		}
		c.lost = lost
	}
}

// Add adds a run.
func (c *Collector) Add(r *capture.Run) (err error) {
	if in := r.At; in == nil {
		c.db.Elsewhere++
	} else {
		b := c.binary(in.Image)
		b.Interrupts++
		g := b.group(r.Labels)
		g.Interrupts++
		g.location(in).Interrupts++
	}
	for i, m := range c.modules {
		c.partOf(r, i)
		m.Transform(&c.part, func(s capture.Sample) {
			b := c.binary(s.Insn.Image)
			g := b.group(r.Labels)
			lists := g.location(s.Insn).Lists
			l := lists[s.Kind]
			if l == nil {
				l = b.newList(g.Labels, s.Insn.PC, s.Kind)
				lists[s.Kind] = l
			}
			if l.Total() == hotlist.MaxTotal {
				err = fmt.Errorf("%s: %s at %#x: %w", b.Image.Path, s.Kind, s.Insn.PC, errFull)
				return
			}
			l.Add(s.Value)
		})
	}
	return err
}

// binary returns the binary of an image. A new one gets the settings, and what was lost
// before it was seen.
func (c *Collector) binary(image *capture.Image) *Binary {
	if b := c.db.binaries[id(image)]; b != nil {
		return b
	}
	b := c.db.binary(image)
	b.Interval, b.Lost = c.settings.Interval, c.lost
	if c.settings.Comment != "" {
		b.Comments = []string{c.settings.Comment}
	}
	return b
}

// partOf sets c.part to what module i gets: the tuples of the instructions that it wants,
// with no more fields than it wants, as if there were no other module.
func (c *Collector) partOf(r *capture.Run, i int) {
	tuples := c.part.Tuples[:0]
	c.part = *r
	for _, t := range r.Tuples {
		w := c.want(t.Insn)[i]
		if w.Fields == 0 {
			continue
		}
		t.Known &= w.Fields
		tuples = append(tuples, t)
	}
	c.part.Tuples = tuples
}

func (c *Collector) want(in *capture.Instruction) []capture.Want {
	wants, ok := c.wants[in]
	if !ok {
		for _, m := range c.modules {
			wants = append(wants, m.Capture(in))
		}
		c.wants[in] = wants
	}
	return wants
}

// maxComments is how many comments of merged runs a binary keeps.
const maxComments = 100

// Merge adds the samples of another database, and does not change it. It returns an error,
// and has changed nothing, if a binary was sampled with another interval, because then interrupts are
// of different weight. If a hotlist is full there is an error, too, and db has a part of the sum.
func (db *Database) Merge(o *Database) error {
	for key, from := range o.binaries {
		if to := db.binaries[key]; to != nil && to.Interval != from.Interval {
			return fmt.Errorf("%s was sampled every %d ns, and here every %d ns: keep the two apart", from.Image.Path,
				from.Interval, to.Interval)
		}
	}
	db.Elsewhere += o.Elsewhere
	for _, from := range o.Binaries() {
		to := db.binary(from.Image)
		to.Interval = from.Interval
		to.Interrupts += from.Interrupts
		to.Lost += from.Lost
		for _, c := range from.Comments {
			if !slices.Contains(to.Comments, c) && len(to.Comments) < maxComments {
				to.Comments = append(to.Comments, c)
			}
		}
		for _, g := range from.Groups() {
			if err := to.merge(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Binary) merge(from *Group) error {
	to := b.group(from.Labels)
	to.Interrupts += from.Interrupts
	for _, x := range from.Locations() {
		l := to.location(x.Insn)
		l.Interrupts += x.Interrupts
		for kind, list := range x.Lists {
			mine := l.Lists[kind]
			if mine == nil {
				mine = b.newList(to.Labels, x.Insn.PC, kind)
				l.Lists[kind] = mine
			}
			if mine.Total()+list.Total() > hotlist.MaxTotal {
				return fmt.Errorf("%s: %s at %#x: %w", b.Image.Path, kind, x.Insn.PC, errFull)
			}
			mine.Merge(list)
		}
	}
	return nil
}

// FileName returns the name of the binary's file, without directory.
func (b *Binary) FileName() string {
	clean := func(s string) string {
		out := []byte(s)
		for i, c := range out {
			switch {
			case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_':
			default:
				out[i] = '_'
			}
		}
		return string(out)
	}
	base := clean(filepath.Base(b.Image.Path))
	name := clean(b.Image.BuildID)
	// Names can be long, and two ids must not have one name.
	if name != b.Image.BuildID || len(name) > 64 || name == "" {
		name = fmt.Sprintf("%016x", b.seed("", 0, ""))
	}
	return base[:min(len(base), 64)] + "." + name + Suffix
}

// Suffix is the end of the names of files.
const Suffix = ".hotlists"
