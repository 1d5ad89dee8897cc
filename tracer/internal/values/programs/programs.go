// Package programs finds functions, lines and symbols for the images of value samples.
//
//	p := programs.New("")
//	p.Frames(image, 0x4a1c0e)  // main.isSpace at lex.go:12, inlined into main.next at parse.go:88
//	p.Symbol(image, 0x50a000)  // "go:itab.*os.File,io.Reader", 0
//	p.Type(image, 0x50a000)    // "*os.File", 0x4c7ae0
//
// A sample names its image by path and build ID. The package opens the file at the path,
// or one that the user names, and uses it if it has the build ID. Without the file samples
// have addresses and code, and no names; [Programs.Missing] says why.
package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// BuildID returns the build ID of an executable: the GNU build ID, or if there is none a hash of its
// file. Both samplers and readers of samples must name images by it.
func BuildID(im *image.Image) (string, error) {
	if len(im.GNUID) > 0 {
		return hex.EncodeToString(im.GNUID), nil
	}
	f, err := os.Open(im.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:20]), nil
}

// Programs are executables that are opened when they are needed. It is not safe for
// concurrent use.
type Programs struct {
	instead string // a file to try before the one at the image's path
	open    map[capture.Image]*image.Image
	missing []string
}

// New returns the programs of all images. If instead is not empty, it names a file that takes
// the place of an image's path if it has the image's build ID.
func New(instead string) *Programs {
	return &Programs{instead: instead, open: map[capture.Image]*image.Image{}}
}

// Close closes all files.
func (p *Programs) Close() {
	for _, im := range p.open {
		if im != nil {
			im.Close()
		}
	}
}

// Missing says which images were asked for and have no names, and why.
func (p *Programs) Missing() []string { return p.missing }

func (p *Programs) image(of *capture.Image) *image.Image {
	im, ok := p.open[*of]
	if ok {
		return im
	}
	var why []string
	for _, name := range []string{p.instead, of.Path} {
		if name == "" || im != nil {
			continue
		}
		found, err := open(name, of.BuildID)
		if err != nil {
			why = append(why, err.Error())
			continue
		}
		im = found
	}
	if im == nil && of.InFile() {
		p.missing = append(p.missing, fmt.Sprintf("%s has no names of functions: %s", of.Path, strings.Join(why, "; ")))
	}
	p.open[*of] = im
	return im
}

// open opens the executable with a build ID.
func open(name, build string) (*image.Image, error) {
	im, err := image.Open(name)
	if err != nil {
		return nil, err
	}
	id, err := BuildID(im)
	if err == nil && id != build {
		err = fmt.Errorf("%s is another build: its ID is %s, that of the samples is %s", name, id, build)
	}
	if err != nil {
		im.Close()
		return nil, err
	}
	return im, nil
}

// Frames returns the functions that the instruction at pc belongs to, the innermost inlined one first;
// none if they are not known.
func (p *Programs) Frames(of *capture.Image, pc uint64) []pclntab.Frame {
	im := p.image(of)
	if im == nil {
		return nil
	}
	fn, ok := im.FuncForPC(pc)
	if !ok {
		return nil
	}
	frames := slices.Clone(fn.Frames(pc))
	frames[len(frames)-1].Func = fn.Name
	return frames
}

// SPDelta returns how many bytes above SP the return address is at an instruction.
func (p *Programs) SPDelta(of *capture.Image, pc uint64) (bytes int, ok bool) {
	if im := p.image(of); im != nil {
		if fn, found := im.FuncForPC(pc); found {
			return fn.SPDelta(pc)
		}
	}
	return 0, false
}

// Symbol returns the symbol that contains an address, and how far behind its beginning
// the address is; "" if there is none.
func (p *Programs) Symbol(of *capture.Image, addr uint64) (name string, offset uint64) {
	if im := p.image(of); im != nil {
		return im.Symbol(addr)
	}
	return "", 0
}

// Type returns the dynamic type that a word stands for, which is the address of a type descriptor
// or of an itab; "" if it is neither.
func (p *Programs) Type(of *capture.Image, word uint64) (name string, descriptor uint64) {
	if im := p.image(of); im != nil {
		t, _ := im.Dynamic(word)
		return t.Name, t.Addr
	}
	return "", 0
}

// Static reports whether a word can be the address of code or data of the executable. Those
// of position-independent executables differ from process to process.
func (p *Programs) Static(of *capture.Image, word uint64) bool {
	im := p.image(of)
	return im != nil && !im.PIE && im.Mapped(word)
}

// Position returns the function and line of an instruction, "main.f x.go:12", or "".
func (p *Programs) Position(of *capture.Image, pc uint64) string {
	frames := p.Frames(of, pc)
	if len(frames) == 0 {
		return ""
	}
	f := frames[0]
	return fmt.Sprintf("%s %s:%d", f.Func, f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
}
