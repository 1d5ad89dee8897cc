// Package profiles writes the messages of a replayed engine as pprof profiles: those that
// the program would have written if the engine had run in it.
//
//	c := profiles.New()
//	results, err := replay.Run(source, replay.Config{Engines: []string{"cop(program=deps)"}, Messages: c.Add})
//	err = c.Save("app", reader, "cop(program=deps)") // app.deps.pb.gz
//
// Taps, functions and lines are those of the site tables in the trace, and the names of
// types and functions those that the trace has. A trace does not say where the code of
// taps is, so words of the pool code are counted as unknown. Package runtime/report
// makes the files.
package profiles

import (
	"encoding/hex"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/runtime/report"
)

// A Collector adds up messages.
type Collector struct {
	index map[key]int
	words []report.Word
}

type key struct {
	tuple.Tuple
	free uint8
}

// New returns a Collector without messages.
func New() *Collector { return &Collector{index: map[key]int{}} }

// Add adds messages.
func (c *Collector) Add(msgs []hwsim.Message) {
	for _, m := range msgs {
		k := key{m.Tuple, m.Free}
		i, ok := c.index[k]
		if !ok {
			i = len(c.words)
			c.index[k] = i
			c.words = append(c.words, report.Word{Tuple: m.Tuple, Free: m.Free})
		}
		c.words[i].Count += int64(m.Count)
		c.words[i].Messages++
	}
}

// Files returns the profiles of all messages. The trace says what sites and words are. It
// is an error if the trace has no site tables.
func (c *Collector) Files(r *trace.Reader, engine string) ([]report.File, error) {
	if len(r.Sites.Packages()) == 0 {
		return nil, errors.New("the trace has no site tables, so profiles have no names: record it with a program built by pepbuild")
	}
	var events, messages int64
	for _, w := range c.words {
		events += w.Count
		messages += w.Messages
	}
	taps := &report.Taps{
		Packages: r.Sites.Packages(), Words: c.words, Names: names(r.Names),
		Mapping: pprofenc.Mapping{File: r.Header.Exe, BuildID: hex.EncodeToString(r.Header.Build[:])},
		Facts: facts.List{
			{Key: facts.Mode, Text: facts.ModeReplay}, {Key: facts.Engine, Text: engine},
			{Key: facts.Events, N: uint64(events)}, {Key: facts.Messages, N: uint64(messages)},
		},
		// 1 would say that every event was counted.
		PeriodType: pprofenc.ValueType{Type: "events", Unit: "count"}, Period: max(2, events/max(messages, 1)),
	}
	return taps.Write(), nil
}

// Save writes the profiles to files: PREFIX.KIND.pb.gz for each kind.
func (c *Collector) Save(prefix string, r *trace.Reader, engine string) error {
	files, err := c.Files(r, engine)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(prefix+"."+f.Kind+".pb.gz", f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// names are the names in a trace.
type names trace.Names

func (n names) find(tag tuple.Tag, w uint64) string { return n[trace.Word{Tag: tag, W: w}] }

// Func returns the function at pc. A trace has no files and lines of functions that are called.
func (n names) Func(pc uint64) report.Frame {
	for _, tag := range []tuple.Tag{tuple.Call, tuple.Direct} {
		if name := n.find(tag, pc); name != "" {
			return report.Frame{Func: name}
		}
	}
	return report.Frame{Func: "0x" + strconv.FormatUint(pc, 16)}
}

// Method returns a method of a type: (*p.T).Read as p.(*T).Read, the name of the linker.
func (n names) Method(addr uint64, name string) report.Frame {
	typ := n.find(tuple.Call, addr)
	if typ == "" {
		typ = n.Type(addr)
	}
	if t, pointer := strings.CutPrefix(typ, "*"); pointer {
		dot := strings.LastIndexByte(t, '.') + 1
		typ = t[:dot] + "(*" + t[dot:] + ")"
	}
	return report.Frame{Func: typ + "." + name}
}

func (n names) Type(addr uint64) string {
	if name := n.find(tuple.Type, addr); name != "" {
		return name
	}
	return "type 0x" + strconv.FormatUint(addr, 16)
}

func (names) Float(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

// Value writes the word of a tuple as the profiles do: -1, 0.5, 'a', or false as an outcome of
// a branch. It reports false if the word is a type or a function, or if its tap is not known.
func Value(sites *trace.Sites, t tuple.Tuple) (text string, ok bool) {
	_, tap := sites.Tap(t.Site())
	if tap == nil {
		return "", false
	}
	return report.ValueText(tap, t, names(nil))
}
