package exactness

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/machine/executable"
)

// flowsOf builds the packages of the main module of a test program with exact counts, runs it, and returns what the
// counts say of each function.
func flowsOf(t *testing.T, program, truncate string) map[funcKey]*flow {
	t.Helper()
	t.Chdir(filepath.Join("../../testprogs", program))
	dir := t.TempDir()
	exe := filepath.Join(dir, program)
	args, err := gobuild.Parse([]string{"build", "-pepmode=exact", "-peptruncate=" + truncate, "-o=" + exe, "."})
	if err != nil {
		t.Fatal(err)
	}
	res, err := gobuild.Run(args, nil, t.Output(), t.Output())
	if err != nil || res.Code != 0 {
		t.Fatalf("building %s: exit code %d, %v", program, res.Code, err)
	}
	cmd := exec.Command(exe, "1")
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("profiles of paths %q, %v, want one", names, err)
	}
	file, err := executable.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	flows := map[funcKey]*flow{}
	for _, p := range file.Packages {
		for i := range p.Funcs {
			f := &p.Funcs[i]
			flows[funcKey{f.Name, p.Files[f.File], f.Line}] = newFlow(f)
		}
	}
	if err := readPaths(names[0], flows); err != nil {
		t.Fatal(err)
	}
	return flows
}

// kirchhoff returns an error if control enters a node another number of times than it leaves the node.
func (f *flow) kirchhoff() error {
	in, out := make([]uint64, len(f.nodes)), make([]uint64, len(f.nodes))
	in[f.Graph.Starts[0].Node] = f.began[0]
	for v, n := range f.Graph.Nodes {
		for i, e := range n.Out {
			out[v] += f.edges[v][i]
			if e.To >= 0 {
				in[e.To] += f.edges[v][i]
			}
		}
	}
	for v := range in {
		if in[v] != out[v] {
			return fmt.Errorf("node %d is entered %d times and left %d times", v, in[v], out[v])
		}
	}
	return nil
}

// PEP-14: counters of edges agree with the edges of exact paths, and at each node as many enter as leave. The programs
// do the same in each run. Paths that have not ended make a difference: of each, an edge may have been counted.
func TestPEP14EdgeCounters(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, program := range []string{"sortbench", "flate", "regex", "raytrace", "flips"} {
		t.Run(program, func(t *testing.T) {
			paths := flowsOf(t, program, "header")
			t.Chdir("../../lab/exactness")
			edges := flowsOf(t, program, "join")
			if !maps.EqualFunc(paths, edges, func(f, g *flow) bool { return len(f.nodes) == len(g.nodes) }) {
				t.Fatal("the functions differ")
			}
			counters, ends := 0, [2]uint64{}
			for key, f := range paths {
				g := edges[key]
				left := uint64(f.unendedEntry + f.unendedElsewhere)
				if err := g.kirchhoff(); err != nil && g.unendedEntry+g.unendedElsewhere == 0 {
					t.Errorf("%s: %v", key.name, err)
				}
				for v := range f.edges {
					for i, n := range f.edges[v] {
						if m := g.edges[v][i]; m < n || m > n+left {
							t.Errorf("%s: edge %d of node %d: %d by its counter, %d by paths", key.name, i, v, m, n)
						}
						if n > 0 {
							counters++
						}
					}
				}
				for i, x := range []*flow{f, g} {
					for _, n := range x.began {
						ends[i] += n
					}
				}
			}
			t.Logf("%d edges, %d paths, %d counts of edges", counters, ends[0], ends[1])
			if counters < 50 || ends[0] >= ends[1] {
				t.Error("too little was compared, or edges were not counted by counters of their own")
			}
		})
	}
}

// The law is one that wrong counts break.
func TestKirchhoff(t *testing.T) {
	for _, f := range slices.Collect(maps.Values(flowsOf(t, "sortbench", "join"))) {
		for v := range f.edges {
			for i := range f.edges[v] {
				if f.Graph.Nodes[v].Out[i].Dead {
					continue
				}
				f.edges[v][i]++
				if f.kirchhoff() == nil {
					t.Errorf("%s: an edge %d of node %d too much is not noticed", f.Name, i, v)
				}
				f.edges[v][i]--
			}
		}
	}
}
