// Package modules has the modules of value sampling that come with the tracer. Users
// choose them by name:
//
//	list, err := modules.Parse("operands,vreplay(window=40)", resolver)
//
//	operands   results, compared operands, outcomes of branches, targets of indirect calls
//	callsites  results, by the call site of the function
//	strides    differences of addresses when a loop executes an instruction again
//	types      concrete types of interface values
//	vreplay    pairs of memory accesses that can slow each other down
//	floats     floating-point numbers in memory operands; with -with interpret in registers, too
//
// A module turns the tuples of a run into samples, each a value at an instruction, and writes
// values as text. For the run in the comment of package capture, operands makes
//
//	mov   result  0
//	test  first   0
//	test  second  0
//	jne   taken   0
//
// To add a module, write a type with the methods of capture.Module, and add a line to All.
//
// Latencies of loads are not there: they need a clock with a resolution of cycles at the load
// itself, and nothing interpreted in the kernel executes the load.
//
// Source: Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000, section 2.4.
package modules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A Resolver knows the images of the sampled programs. Addresses are those of the image.
type Resolver interface {
	// SPDelta returns how many bytes above SP the return address is at an instruction.
	SPDelta(image *capture.Image, pc uint64) (bytes int, ok bool)
	// Symbol returns the symbol that contains an address, and how far behind its
	// beginning the address is; "" if there is none.
	Symbol(image *capture.Image, addr uint64) (name string, offset uint64)
	// Type returns the dynamic type that a word stands for, if it is the address of a type descriptor
	// or of an itab: its name, or "", and the address of its descriptor.
	Type(image *capture.Image, word uint64) (name string, descriptor uint64)
	// Position returns the function and line of an instruction, "main.f x.go:12", or "".
	Position(image *capture.Image, pc uint64) string
}

// A Kind is a module by name.
type Kind struct {
	Name   string
	Values []string // the kinds of values that it makes samples of
	Make   func(options Options, resolver Resolver) (capture.Module, error)
}

// All are the modules.
var All = []Kind{
	{"operands", []string{kindResult, kindFirst, kindSecond, kindTaken, kindTarget}, newOperands},
	{"callsites", []string{kindByCaller}, newCallSites},
	{"strides", []string{kindStride}, newStrides},
	{"types", []string{kindType}, newTypes},
	{"vreplay", []string{kindOrder, kindSize, kindSynonym}, newVreplay},
	{"floats", []string{kindFloat}, newFloats},
}

// Parse makes the modules of a description.
func Parse(text string, resolver Resolver) (list []capture.Module, err error) {
	for more := true; more; {
		var item string
		item, text, more = items.Cut(text, ',')
		m, err := parse(strings.TrimSpace(item), resolver)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func parse(text string, resolver Resolver) (capture.Module, error) {
	name, options, found := strings.Cut(text, "(")
	if found && !strings.HasSuffix(options, ")") {
		return nil, fmt.Errorf("module %q: the ) is missing", text)
	}
	i := slices.IndexFunc(All, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		var names []string
		for _, k := range All {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("there is no module %q; choose of %s", name, strings.Join(names, ", "))
	}
	o := Options{}
	for option := range strings.SplitSeq(strings.TrimSuffix(options, ")"), ",") {
		if option = strings.TrimSpace(option); option == "" {
			continue
		}
		key, value, _ := strings.Cut(option, "=")
		o[key] = value
	}
	m, err := All[i].Make(o, resolver)
	for key := range o {
		if err == nil {
			err = fmt.Errorf("it has no option %q", key)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("module %q: %w", text, err)
	}
	return m, nil
}

// Options are the options of a module, by name. A module removes those that it knows.
type Options map[string]string

// word removes an option, which is one of the words, and returns it. Without the option it
// returns the first word.
func (o Options) word(key string, words ...string) (string, error) {
	text, ok := o[key]
	if !ok {
		return words[0], nil
	}
	delete(o, key)
	if !slices.Contains(words, text) {
		return "", fmt.Errorf("%s=%s: choose of %s", key, text, strings.Join(words, ", "))
	}
	return text, nil
}

// number removes an option, which is a number from 1 to most, and returns it, or otherwise
// without the option.
func (o Options) number(key string, otherwise, most uint64) (uint64, error) {
	text, ok := o[key]
	if !ok {
		return otherwise, nil
	}
	delete(o, key)
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s=%s: want a number from 1 to %d", key, text, most)
	}
	return n, nil
}

// ForKind returns the module that makes samples of a kind of value, with its default options, to
// write values of that kind as text. For unknown kinds it returns false.
func ForKind(kind string, resolver Resolver) (capture.Module, bool) {
	for _, k := range All {
		if slices.Contains(k.Values, kind) {
			m, err := k.Make(Options{}, resolver)
			return m, err == nil
		}
	}
	return nil, false
}

// Together is several modules at once: a sampler notes what any of them wants, and each
// gets what it wants, no more.
type Together []capture.Module

// Capture returns the union of what the modules want. A tuple has space for one
// register; if two modules name different ones, the first one gets its register.
func (t Together) Capture(in *capture.Instruction) (all capture.Want) {
	for _, m := range t {
		w := m.Capture(in)
		if w.Fields&capture.Named != 0 && all.Fields&capture.Named == 0 {
			all.Register = w.Register
		}
		all.Fields |= w.Fields
	}
	return all
}
