package annotate

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
)

func TestTry(t *testing.T) {
	base := os.Getenv("TRY")
	if base == "" {
		t.Skip()
	}
	p, err := profile.Open(base + ".paths.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	e, err := profile.Open(base + ".edges.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	x, err := executable.Open(p.Binary)
	if err != nil {
		t.Log(err)
	}
	prog, err := New(Input{Paths: p, Edges: e, Program: x, Source: source.NewTree("")})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	rec, un := 0, 0
	for i, f := range prog.Functions {
		d, err := prog.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		if f.State == Seen {
			n++
			if d.Reconciled {
				rec++
			} else {
				un++
			}
		}
		if i < 3 || f.Name == os.Getenv("FN") {
			print1(f, d)
		}
	}
	b, _ := json.Marshal(prog)
	fmt.Println(len(prog.Functions), n, "reconciled", rec, un, string(b[:300]))
}

func print1(f *Function, d *Detail) {
	fmt.Printf("%s %s:%d flow %d count %d entries %d paths %d H %.2f unseen %d/%d rec %v note %s\n", f.Name, f.Short, f.Line, f.Flow, f.Count, d.Entries, d.PathsSeen, d.Entropy, d.Unseen, d.Outcomes, d.Reconciled, d.Note)
	k := 0
	for _, l := range d.Lines {
		s := ""
		for _, r := range l.Text {
			s += r[1]
		}
		fmt.Printf("%8d %8d %-5s %4d %s\n", l.Count, l.Raw, l.State, l.Line, s)
		for k < len(d.Branches) && d.Branches[k].File == l.File && d.Branches[k].Line <= l.Line {
			b := d.Branches[k]
			fmt.Printf("                          :%d %s %d %s:", b.Col, b.Kind, b.Count, b.State)
			for _, o := range b.Outcomes {
				fmt.Printf(" [%s %d(%d) %.3f %.3f-%.3f %s]", o.Name, o.Count, o.Raw, o.Share, o.Low, o.High, o.State)
			}
			fmt.Println()
			k++
		}
	}
	for _, p := range d.Paths {
		fmt.Printf("   %s from %s %d loop %v flow %d count %d raw %d share %.3f lines %v branches %v nodes %v\n", p.Name, p.From, p.Line, p.Loop, p.Flow, p.Count, p.Raw, p.Share, p.Lines, p.Branches, p.Nodes)
	}
	fmt.Println("  callers", d.Callers, "callees", d.Callees)
}
