package policy

// This file compares testdata/imports.txt, which has every import of the two modules, with the tree.

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// importTable has a line "package: imports" for each package. A new import needs a new entry
// there, which a reviewer sees: go test ./internal/policy -update writes the file.
const importTable = "testdata/imports.txt"

// A graph has, for each package of the tree, the packages of the tree that it
// imports, sorted. Tests do not count.
type graph map[string][]string

// TestImports compares edge by edge: with what the files of all systems and build tags import,
// and with what go list finds for this system.
func TestImports(t *testing.T) {
	actual := importsOf(goFiles(t))
	if *update {
		if err := os.WriteFile(importTable, []byte(actual.String()+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(importTable)
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseGraph(strings.TrimSuffix(string(text), "\n"))
	if err != nil {
		t.Fatalf("%s: %v", importTable, err)
	}
	found := differences(table, actual)
	for _, d := range found {
		t.Errorf("%s: %s", importTable, d)
	}
	for _, d := range differences(table, listed(t)) {
		if !strings.Contains(d, noLonger) && !slices.Contains(found, d) {
			t.Errorf("%s, by go list: %s", importTable, d)
		}
	}
}

func importsOf(files []*file) graph {
	g := graph{}
	for _, f := range files {
		if f.test() {
			continue
		}
		g[f.dir] = append(g[f.dir], inModule(f.imports)...)
	}
	return g.sorted()
}

// listed returns the graph that go list reports. It has only the files of this system.
func listed(t *testing.T) graph {
	g := graph{}
	for _, dir := range modules {
		for line := range strings.Lines(output(t, "go", "list", "-C", dir, "-f",
			`{{if .GoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, "./...")) {
			if paths := inModule(strings.Fields(line)); len(paths) > 0 {
				g[paths[0]] = paths[1:]
			}
		}
	}
	return g.sorted()
}

// inModule returns the import paths that are of this module or of lab, without the path of this module.
func inModule(imports []string) (dirs []string) {
	for _, imp := range imports {
		if dir, ok := strings.CutPrefix(imp, module+"/"); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (g graph) sorted() graph {
	for dir, imports := range g {
		slices.Sort(imports)
		g[dir] = slices.Compact(imports)
	}
	return g
}

// String is the form of the file: packages by their tree, and within that
// each below those that it imports.
func (g graph) String() string {
	trees := []string{"format", "machine", "hwsim", "runtime", "instrument", "gobuild", "analyze", "tracer", "internal", "cmd", "lab"}
	tree := func(dir string) (last int) {
		for i, t := range trees {
			if matches(t+"/...", dir) {
				last = i
			}
		}
		return last
	}
	depths := map[string]int{}
	var depth func(dir string) int
	depth = func(dir string) int {
		if _, ok := depths[dir]; !ok {
			depths[dir] = 0
			for _, imp := range g[dir] {
				if tree(imp) == tree(dir) {
					depths[dir] = max(depths[dir], depth(imp)+1)
				}
			}
		}
		return depths[dir]
	}
	var lines []string
	for _, dir := range slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		return cmp.Or(cmp.Compare(tree(a), tree(b)), cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b))
	}) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s: %s", dir, strings.Join(g[dir], " ")), " "))
	}
	return strings.Join(lines, "\n")
}

func parseGraph(text string) (graph, error) {
	g := graph{}
	for line := range strings.SplitSeq(text, "\n") {
		dir, imports, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.Contains(dir, " ") {
			return nil, fmt.Errorf("%q is not of the form package: imports", line)
		}
		if _, twice := g[dir]; twice {
			return nil, fmt.Errorf("%s has two lines", dir)
		}
		g[dir] = strings.Fields(imports)
	}
	return g.sorted(), nil
}

// noLonger is part of the message about edges that the tree does not have.
const noLonger = "no longer"

// differences returns the edges of a tree that a table lacks, and the edges of the
// table that the tree does not have.
func differences(table, tree graph) (list []string) {
	for _, dir := range slices.Sorted(maps.Keys(tree)) {
		known, ok := table[dir]
		if !ok {
			list = append(list, "the table has no line for package "+dir)
			continue
		}
		for _, imp := range tree[dir] {
			if !slices.Contains(known, imp) {
				list = append(list, fmt.Sprintf("%s imports %s: if that is as it should be, go test ./internal/policy -update", dir,
					imp))
			}
		}
		for _, imp := range known {
			if !slices.Contains(tree[dir], imp) {
				list = append(list, fmt.Sprintf("%s %s imports %s", dir, noLonger, imp))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(table)) {
		if _, ok := tree[dir]; !ok {
			list = append(list, fmt.Sprintf("package %s is %s there", dir, noLonger))
		}
	}
	return list
}

func TestDifferencesOfTables(t *testing.T) {
	const text = "    a:\n    b: a\n    c: a b"
	for _, c := range []struct{ name, tree, want string }{
		{"The same.", text, ""},
		{"A planted edge.", "a:\nb: a\nc: a b d",
			"c imports d: if that is as it should be, go test ./internal/policy -update"},
		{"An edge that has gone.", "a:\nb: a\nc: a", "c no longer imports b"},
		{"An unknown package.", text + "\nd: a", "the table has no line for package d"},
		{"A package that has gone.", "b: a\nc: a b", "package a is no longer there"},
	} {
		table, err := parseGraph(text)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parseGraph(c.tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(differences(table, tree), "\n"); got != c.want {
			t.Errorf("%s got %q, want %q", c.name, got, c.want)
		}
	}
	for _, bad := range []string{"a", "a b: c", "a:\na: b"} {
		if g, err := parseGraph(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, g)
		}
	}
}
