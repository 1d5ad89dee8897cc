//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/tracer"
	"github.com/pepgo/pep/tracer/capturetest"
)

// sampled is the program with the commands about sampled values alone.
var sampled = command.Program{Name: "peptrace", Usage: usage, Verbs: sampledVerbs}

// makeSamples makes the files of the examples: a recording, and databases of it.
func makeSamples(dir string) error {
	p := &capturetest.Program{Functions: []capturetest.Function{
		{Name: "main.zeros", Time: 0.9, Body: []capturetest.Instruction{
			{Code: "48 8b 0c d0", Value: capturetest.Mostly(0, 0.9, capturetest.Below(4))}, // mov rcx, [rax+rdx*8]
			{Code: "48 ff c2", Value: capturetest.Counter},                                 // inc rdx
			{Code: "48 8b 5c 24 08", Value: capturetest.Always(0xc000010000)},              // mov rbx, [rsp+8]
		}},
	}}
	p.Image.BuildID, p.Image.Path = "abcd", "app"
	var b bytes.Buffer
	if err := p.Record(&b, 1, 1000, 8); err != nil {
		return err
	}
	name := filepath.Join(dir, "app.recording")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		return err
	}
	values, err := tracer.Open(tracer.Input{Modules: "operands,strides"}, name)
	if err != nil {
		return err
	}
	defer values.Close()
	return values.Save(filepath.Join(dir, "values"))
}

func TestSampledUsage(t *testing.T) {
	p := peptrace
	// TestHelp runs these
	p.Usage, _, _ = strings.Cut(usage, "\nExamples:\n")
	// its examples need a process
	p.Verbs = slices.DeleteFunc(slices.Clone(p.Verbs), func(v command.Verb) bool { return v.Name == "probe" })
	for i, v := range p.Verbs {
		if v.Name == "cold" { // likewise
			text, _, _ := strings.Cut(v.Usage, "\nExamples:\n")
			p.Verbs[i].Usage = text + "\nExamples:\n"
		}
	}
	commandtest.Usage(t, &p, makeSamples)
}

// The text of a listing has the numbers of its JSON form.
func TestSampledJSON(t *testing.T) {
	commandtest.Listings(t, &sampled, makeSamples, []commandtest.Listing{
		{Line: "list app.recording", Rows: listRows},
		{Line: "list -n 0 -secrets values", Rows: listRows},
		{Line: "find app.recording", Rows: findRows},
		{Line: "find -n 1 -modules operands values", Rows: findRows},
	})
}

func percent(x float64) string { return fmt.Sprintf("%.2f%%", 100*x) }

func listRows(o commandtest.Object) (rows []string) {
	for _, b := range o.All("binaries") {
		rows = append(rows, fmt.Sprintf("%s: %d interrupts, one in %.3g ms of CPU time, %d lost; build %s", b.Text("program"),
			b.Int("interrupts"), float64(b.Int("interval"))/1e6, b.Int("lost"), b.Text("build")))
		b.Each("comments", func(c string) { rows = append(rows, c) })
		for _, f := range b.All("functions") {
			rows = append(rows, fmt.Sprintf("%s, %s of %d interrupts", f.Text("function"), percent(f.Float("share")),
				b.Int("interrupts")), "time address instruction vtot thld nv values (share [bounds] value)")
			for _, in := range f.All("instructions") {
				if in["gap"].(bool) {
					rows = append(rows, "…")
				}
				row := fmt.Sprintf("%#x %s", in.Int("address"), in.Text("instruction"))
				if in.Int("interrupts") > 0 {
					row = percent(in.Float("share")) + " " + row
				}
				for i, l := range in.All("lists") {
					if i > 0 {
						row = ""
					}
					rows = append(rows, fmt.Sprintf("%s %d %.4f %d %s: %s", row, l.Int("samples"), l.Float("rate"), l.Int("values"),
						l.Text("kind"), valuesText(l)))
				}
				if len(in.All("lists")) == 0 {
					rows = append(rows, row)
				}
			}
		}
	}
	rows = append(rows, "(share value): thld is 1, and of vtot values exactly this share has the value",
		fmt.Sprintf("(share [least-most] value): the share is an estimate, and lies between least and most; with %.0f%% confidence all bounds of a hotlist hold", 100*o.Float("confidence")))
	if n := o.Int("elsewhere"); n > 0 {
		rows = append(rows, fmt.Sprintf("%d interrupts in the kernel or in unknown code", n))
	}
	o.Each("missing", func(m string) { rows = append(rows, m) })
	return rows
}

func valuesText(l commandtest.Object) string {
	var words []string
	for _, v := range l.All("rows") {
		share := percent(v.Float("share"))
		if l.Float("rate") < 1 {
			share += fmt.Sprintf(" [%.2f-%.2f%%]", 100*v.Float("least_share"), 100*v.Float("most_share"))
		}
		words = append(words, fmt.Sprintf("(%s %s)", share, v.Text("value")))
		if v["junk"].(bool) {
			words = append(words, "junk")
		}
	}
	for _, x := range []struct{ field, name string }{{"more_values", "more"}, {"more_junk", "junk"}} {
		if n := l.Int(x.field); n > 0 {
			words = append(words, fmt.Sprintf("and %d %s", n, x.name))
		}
	}
	return strings.Join(words, " ")
}

func findRows(o commandtest.Object) (rows []string) {
	programs := fmt.Sprintf("%d programs", len(o["programs"].([]any)))
	if programs == "1 programs" {
		programs = "1 program"
	}
	rows = append(rows, fmt.Sprintf("%d interrupts in %s, %d lost; values with at least %d samples", o.Int("interrupts"),
		programs, o.Int("lost"), o.Int("least_samples")))
	for _, r := range o.All("rows") {
		rows = append(rows, fmt.Sprintf("%d %s %s %s %s %d %s %s", r.Int("rank"), percent(r.Float("score")),
			percent(r.Float("time_share")),
			percent(r.Float("invariance")), percent(r.Float("least_invariance")), r.Int("samples"), r.Text("kind"),
			r.Text("value")))
		at := r.Text("function")
		if r.Text("file") != "" {
			at += fmt.Sprintf(" %s:%d  %s", path.Base(r.Text("file")), r.Int("line"), r.Text("source"))
		}
		rows = append(rows, at, fmt.Sprintf("%#x %s", r.Int("address"), r.Text("instruction")))
	}
	switch n := o.Int("more"); n {
	case 0:
	case 1:
		rows = append(rows, "and 1 value more")
	default:
		rows = append(rows, fmt.Sprintf("and %d values more", n))
	}
	rows = append(rows, fmt.Sprintf("score: time of the function, times the bound of the invariance (%.0f%% confidence)",
		100*o.Float("confidence")))
	o.Each("missing", func(m string) { rows = append(rows, m) })
	return rows
}

// merge adds to databases that are there, and pprof refuses two programs at once.
func TestMergeAndPprof(t *testing.T) {
	dir := t.TempDir()
	if err := makeSamples(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	other := &capturetest.Program{Functions: []capturetest.Function{{Name: "f", Time: 1,
		Body: []capturetest.Instruction{{Code: "48 8b 0c d0", Value: capturetest.Always(1)}}}}}
	other.Image.BuildID, other.Image.Path = "ef01", "other"
	var b bytes.Buffer
	if err := errors.Join(other.Record(&b, 1, 50, 2), os.WriteFile("other.recording", b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	run := func(want string, line string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := sampled.Run(strings.Fields(line), nil, &stdout, &stderr)
		if (code == 0) != (want == "") || !strings.Contains(stderr.String(), want) {
			t.Errorf("peptrace %s: exit code %d, %q, want an error with %q", line, code, &stderr, want)
		}
	}
	run("", "merge -o all values app.recording other.recording")
	run("", "merge -o all app.recording")
	programs := func(dir string) *tracer.ListTable {
		values, err := tracer.Open(tracer.Input{Modules: "operands"}, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer values.Close()
		return values.List(tracer.Selection{})
	}
	all, one := programs("all"), programs("values")
	if got, want := all.Binaries[0].Interrupts, 3*one.Binaries[0].Interrupts; got != want || len(all.Binaries) != 2 {
		t.Errorf("%d interrupts in the first of %d programs, want %d of 2", got, len(all.Binaries), want)
	}
	run("samples of 2 programs or shared objects, and a profile is of one: choose a file of app.abcd.hotlists, other.ef01.hotlists", "pprof -o x all")
	run("", "pprof -o x all/other.ef01.hotlists")
	run("no -o", "merge values")
	run("no -o", "pprof values")
	run(`-modules: there is no module "colours"`, "list -modules colours app.recording")
	run("-n -1: want a number of values", "list -n -1 values")
	run("-n -1: want a number of rows", "find -n -1 values")
	run("", "watch -speed 100 app.recording")
	run("-speed 0: want more than 0", "watch -speed 0 app.recording")
	run(`begins with "pepVHOTL", want "pepVRUNS"`, "watch all/other.ef01.hotlists")
	run("missing: no such file", "find missing")
	if err := os.WriteFile("main.go.txt", []byte("package main"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(`main.go.txt: database: begins with "package ", want "pepVHOTL"; want a database or a recording`,
		"list main.go.txt")
}
