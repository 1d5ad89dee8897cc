//go:build linux && amd64

package tracer

// This file has sampled values: what is made of them, and the files that they are in.

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/live"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/programs"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// An Input says what values are made of what a sampler has noted, and where the programs are.
type Input struct {
	Modules string // what is sampled, as in the help of peptrace list: "operands,vreplay(window=40)"
	Binary  string // the file of the program, for names, if it is not where the program ran
}

// Check says what is wrong with the modules.
func (in Input) Check() error {
	if _, err := modules.Parse(in.Modules, programs.New(in.Binary)); err != nil {
		return fmt.Errorf("-modules: %w", err)
	}
	return nil
}

// A Selection says what a listing has of the values.
type Selection struct {
	Func    *regexp.Regexp // functions whose names match, or that have such inlined; nil is all
	Label   *regexp.Regexp // goroutines with a label of runtime/pprof that matches, as key=value; nil is all goroutines
	Kind    *regexp.Regexp // of List: kinds of values that match; nil is all
	N       int            // of List, values of a hotlist; of Find, rows; 0 is all
	Secrets bool           // show words that look like addresses or text, and the values of labels
	Static  bool           // of Find: rank addresses of the program's own code and data, too
	Source  *source.Tree   // where lines of source are; nil is nowhere
}

// Listings of this package. Their fields are those of the listings as JSON.
type (
	ListTable   = report.ListTable   // instructions with their values, by program and function
	FindTable   = report.FindTable   // values that are worth specialising, the best first
	FindRow     = report.FindRow     // a value of a FindTable
	ValuesTable = report.ValuesTable // a ListTable, and what became of the interrupts
	Sampling    = report.Sampling    // what became of the interrupts
)

// Values are values of instructions that were sampled in one program or more, in hotlists. Names of
// functions and lines come from the files of the programs; a listing says for which there are none. Values
// must not be used by two goroutines at once.
type Values struct {
	db    *database.Database
	names *programs.Programs
}

// Open reads databases, directories of databases, and recordings, and adds them up. It is an
// error if a file is damaged or of another kind. The caller closes the values.
func Open(in Input, files ...string) (*Values, error) {
	v := newValues(in)
	var err error
	if v.db, err = database.Load(files, in.Modules, v.names); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

func newValues(in Input) *Values { return &Values{database.New(), programs.New(in.Binary)} }

// Close closes the files of the programs.
func (v *Values) Close() { v.names.Close() }

// List lists the sampled instructions with their values, the functions that take most CPU time
// first.
func (v *Values) List(s Selection) *ListTable {
	return report.List(v.db, v.names, report.ListOptions{Func: s.Func, Label: s.Label, Kind: s.Kind, N: s.N,
		Secrets: s.Secrets, Source: s.Source})
}

// Find ranks values by the time that their function takes, times how invariant they are.
func (v *Values) Find(s Selection) *FindTable { return report.Find(v.db, v.names, s.find()) }

func (s Selection) find() report.FindOptions {
	return report.FindOptions{Func: s.Func, Label: s.Label, N: s.N, Secrets: s.Secrets, Static: s.Static, Source: s.Source}
}

// Profile returns the values as a profile for pep values and go tool pprof, in gzip. Of the selection
// it uses Label and Secrets. It is an error if the values are of more than one program.
func (v *Values) Profile(s Selection) ([]byte, error) {
	b, err := report.One(report.Labelled(v.db, s.Label))
	if err != nil {
		return nil, err
	}
	return report.Profile(b, v.names, s.Secrets), nil
}

// Save adds the values to the databases in a directory, one for each program. It makes the directory if
// there is none.
func (v *Values) Save(dir string) error {
	_, err := v.db.Save(dir)
	return err
}

// A Screen is a terminal that shows a listing while it changes: W is the terminal, and Size returns
// how many lines and columns it has now.
type Screen = live.Screen

// Terminal returns the screen of the terminal that w is; nil if w is no terminal.
func Terminal(w io.Writer) *Screen {
	if f, ok := w.(*os.File); ok {
		return live.Terminal(f)
	}
	return nil
}

// A ReplayRequest says which recording is replayed.
type ReplayRequest struct {
	Input
	File   string
	Speed  float64   // 1 is as fast as it was recorded, 2 twice as fast
	Screen *Screen   // shows what Find finds so far, twice a second; nil is none
	Select Selection // of what Find finds
}

// Check says what is wrong with a request.
func (q *ReplayRequest) Check() error {
	if !(q.Speed > 0) {
		return fmt.Errorf("-speed %g: want more than 0, and 1 for as fast as it was", q.Speed)
	}
	return q.Input.Check()
}

// Replay replays a recording until its end, or until the context is done, and returns its values up to
// there. The caller closes them.
func Replay(ctx context.Context, q ReplayRequest) (*Values, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	recording, err := capture.OpenRecording(q.File)
	if err != nil {
		return nil, err
	}
	defer recording.Close()
	v := newValues(q.Input)
	list, err := modules.Parse(q.Modules, v.names)
	if err == nil {
		c := v.db.Collector(list, database.Settings{Interval: recording.Header.Interval, Comment: recording.Header.Comment})
		err = live.Watch(ctx, &capture.Paced{Source: recording, Speed: q.Speed}, c,
			func() listing.Listing { return v.Find(q.Select) }, q.Screen)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}
