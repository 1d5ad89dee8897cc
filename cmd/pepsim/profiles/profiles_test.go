package profiles_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/cmd/pepsim/profiles"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// open returns the trace of a text.
func open(t *testing.T, text string) *trace.Reader {
	t.Helper()
	var encoded bytes.Buffer
	if err := trace.Parse(&encoded, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(&encoded)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// samples returns the samples of a profile as text, without labels that repeat others.
func samples(t *testing.T, data []byte) (list []string) {
	t.Helper()
	p, err := profile.ParseData(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		text := fmt.Sprint(s.Value[0])
		for _, l := range s.Location {
			text += fmt.Sprintf(" %s:%d", l.Line[0].Function.Name, l.Line[0].Line)
		}
		for _, key := range []string{"kind", "value", "outcome"} {
			if v := s.Label[key]; len(v) > 0 {
				text += " " + v[0]
			}
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// In the trace, main calls get twice and set once. get loads what set has stored.
func TestCOP33_ProgramsFillProfiles(t *testing.T) {
	text, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		engine, kind string
		want         []string
	}{
		{"cop(program=edges)", "edges", []string{"1 main.main:4 if false", "1 main.main:4 if true"}},
		{"cop(program=targets)", "calltargets", []string{"1 main.get:0 main.main:5 call"}},
		{"cop(program=follow)", "deps", []string{"1 main.main:4 main.main:4 follow if=false after x.go:4:5 if true"}},
		{"cop(program=deps)", "deps", []string{"1 main.get:10 main.set:15 dep p.n=x.go:15:2 p.n"}},
		{"cache(64,ways=1,line=64):cop(program=conflicts,k0=0)", "values", []string{"1 main.main:6 conflict q.n=set 0"}},
		{"cop(program=callstack)", "contexts", []string{
			"1 main.main:3 context main=(no caller)",
			"1 main.main:5 within f=main.main",
			"1 main.set:14 main.main:3 context set=main.main",
			"1 main.set:15 main.main:3 within p.n=main.set < main.main",
			"2 main.get:10 main.main:3 within p.n=main.get < main.main",
			"2 main.get:9 main.main:3 context get=main.main",
			"2 main.main:4 within if=main.main",
			"2 main.main:6 within q.n=main.main",
		}},
	} {
		r := open(t, string(text))
		c := profiles.New()
		if _, err := replay.Run(replay.Of(r), replay.Config{Engines: []string{x.engine}, Messages: c.Add}); err != nil {
			t.Fatal(err)
		}
		files, err := c.Files(r, "P1")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			got := samples(t, f.Data)
			if f.Kind != x.kind {
				if f.Kind != "values" && got != nil { // outcomes of branches are among the values, too
					t.Errorf("%s: profile %s has %q", x.engine, f.Kind, got)
				}
				continue
			}
			if d := cmp.Diff(x.want, got); d != "" {
				t.Errorf("%s: -want +got:\n%s", x.engine, d)
			}
			x.want = nil
		}
		if x.want != nil {
			t.Errorf("%s: no profile %s", x.engine, x.kind)
		}
	}
}

// Names of words come from the trace.
func TestNames(t *testing.T) {
	r := open(t, `pep trace 1
build 5b39f20849381a6c
exe ./x
package main
file /src/x.go
tap 0 call main.f x.go:7:8 0 io.Reader r.Read
tap 1 call main.f x.go:8:8 64 func() fn
tap 2 type main.f x.go:9:8 0 any x
tap 3 load main.f x.go:10:8 float64 float64 y
tap 4 direct main.f x.go:11:8 64 func() g
symbol call 0x4a0 *bytes.Buffer
symbol call 0x4b0 main.g
symbol type 0x4c0 main.T
symbol direct 0x4d0 main.g
0 call main+0 0x4a0
0 call main+0 0x4a1
0 call main+1 0x4b0
0 call main+1 0x4b1
0 type main+2 0x4c0
0 type main+2 0x4c1
0 load main+3 0x3ff8000000000000
0 direct main+4 0x4d0
end 8 0
`)
	c := profiles.New()
	if _, err := replay.Run(replay.Of(r), replay.Config{Engines: []string{"P1"}, Messages: c.Add}); err != nil {
		t.Fatal(err)
	}
	files, err := c.Files(r, "P1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range files {
		got[f.Kind] = samples(t, f.Data)
		p, err := profile.ParseData(f.Data)
		if err != nil || p.Comments[0] != "#pep.version=1 mode=replay engine=P1 events=8 messages=8" || p.Mapping[0].File != "./x" {
			t.Errorf("%s: %v %q %+v", f.Kind, err, p.Comments, p.Mapping[0])
		}
	}
	want := map[string][]string{
		"calltargets": {
			"1 0x4b1:0 main.f:8 call", "1 bytes.(*Buffer).Read:0 main.f:7 call", "1 main.g:0 main.f:11 direct",
			"1 main.g:0 main.f:8 call",
			"1 type 0x4a1.Read:0 main.f:7 call",
		},
		"types":  {"1 main.f:9 type", "1 main.f:9 type"},
		"values": {"1 main.f:10 load y=1.5"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestTracesWithoutTables(t *testing.T) {
	r := open(t, "pep trace 1\nbuild 5b39f20849381a6c\nexe ./x\n0 load 5 1\nend 1 0\n")
	if _, err := profiles.New().Files(r, ""); err == nil || !strings.Contains(err.Error(), "no site tables") {
		t.Errorf("%v", err)
	}
}
