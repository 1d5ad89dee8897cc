package policy

// This file writes the part of docs/reference/json.md that describes the listings which commands
// print as JSON. It takes names and units from the tags of the fields, and what a member means from
// their comments, as they are in the source:
//
//	// A Row is a function.
//	type Row struct {
//		Func  string `json:"function"`
//		Count int64  `json:"count" unit:"times"` // calls of it
//	}
//
// of a table `rows` becomes
//
//	`rows` | a function each; with `function`
//	`rows.count` (times) | calls of it
//
// A field without a comment is one that explains itself. It stands in the row of its object.

import (
	"flag"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/speedup"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/listing"
)

var update = flag.Bool("update", false, "rewrite the parts of documents that are made from the code")

const (
	jsonPage     = "docs/reference/json.md"
	jsonMembers  = "\n## Members\n"
	sharedHeader = "\n## Objects of several listings\n"
)

// A structRef names a struct type by the folder of its package.
type structRef struct{ dir, name string }

// A namedListing is a listing that a command prints.
type namedListing struct {
	command string
	of      structRef
}

// listings are all of them, in the order of the page.
var listings = []namedListing{
	{"pep top", structRef{"analyze/report", "TopTable"}},
	{"pep list", structRef{"analyze/report", "Listing"}},
	{"pep cover", structRef{"analyze/report", "CoverTable"}},
	{"pep cold", structRef{"analyze/cold", "Table"}},
	{"pep values", structRef{"analyze/report", "ValueTable"}},
	{"pep ranges", structRef{"analyze/report", "RangeTable"}},
	{"pep sites", structRef{"analyze/report", "SiteTable"}},
	{"pep sites TABLE", structRef{"analyze/report", "BranchTable"}},
	{"pep accuracy", structRef{"analyze/report", "AccuracyTable"}},
	{"pep pgo", structRef{"analyze/report", "PGOTable"}},
	{"pep pgo -check", structRef{"analyze/speedup", "Table"}},
	{"pep dump", structRef{"analyze/report", "DumpTable"}},
	{"peptrace probe", structRef{"tracer/internal/probe/table", "Table"}},
	{"peptrace values", structRef{"tracer/internal/values/report", "ValuesTable"}},
	{"peptrace list", structRef{"tracer/internal/values/report", "ListTable"}},
	{"peptrace find", structRef{"tracer/internal/values/report", "FindTable"}},
	{"pepsim run", structRef{"hwsim/replay", "RunTable"}},
	{"pepsim trace info", structRef{"hwsim/trace", "InfoTable"}},
	{"pepsim trace print", structRef{"hwsim/trace", "TupleTable"}},
}

// reflected are the same listings as values. What reflection says of them is the oracle of the page.
var reflected = map[string]listing.Listing{
	"pep top":            &report.TopTable{},
	"pep list":           &report.Listing{},
	"pep cover":          &report.CoverTable{},
	"pep cold":           &cold.Table{},
	"pep values":         &report.ValueTable{},
	"pep ranges":         &report.RangeTable{},
	"pep sites":          &report.SiteTable{},
	"pep sites TABLE":    &report.BranchTable{},
	"pep accuracy":       &report.AccuracyTable{},
	"pep pgo":            &report.PGOTable{},
	"pep pgo -check":     &speedup.Table{},
	"pep dump":           &report.DumpTable{},
	"pepsim run":         &replay.RunTable{},
	"pepsim trace info":  &trace.InfoTable{},
	"pepsim trace print": &trace.TupleTable{},
}

// A member is a field of a listing's struct, in its JSON form.
type member struct {
	name, unit, text string
	of               structRef // the struct that it has, or a list of; zero if it has none
}

// obvious reports whether the name of a member tells its unit: it is the name, or a line, or a share.
func obvious(name, unit string) bool {
	last := name[strings.LastIndex(name, ".")+1:]
	return last == unit || unit == "line" && strings.HasSuffix(last, "_line") ||
		unit == "ratio" && strings.Contains(last, "share")
}

// title leaves out a unit that is obvious.
func (m member) title() string {
	if m.unit == "" || obvious(m.name, m.unit) {
		return "`" + m.name + "`"
	}
	return "`" + m.name + "` (" + m.unit + ")"
}

// structs are the structs of the tree with their members.
type structs struct {
	declared map[structRef]*ast.StructType
	files    map[structRef]*file
}

func structsOf(t *testing.T) structs {
	s := structs{map[structRef]*ast.StructType{}, map[structRef]*file{}}
	for _, f := range goFiles(t) {
		if f.test() {
			continue
		}
		for _, d := range f.syntax.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.TypeSpec)
				if x, ok := spec.Type.(*ast.StructType); ok {
					s.declared[structRef{f.dir, spec.Name.Name}], s.files[structRef{f.dir, spec.Name.Name}] = x, f
				}
			}
		}
	}
	return s
}

// members returns the fields of a struct that have a json tag.
func (s structs) members(of structRef) (list []member) {
	for _, field := range s.declared[of].Fields.List {
		if field.Tag == nil {
			continue
		}
		text, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			continue
		}
		tag := reflect.StructTag(text)
		if tag.Get("json") == "" {
			continue
		}
		said := strings.Fields(field.Doc.Text() + " " + field.Comment.Text())
		inner := s.element(s.files[of], field.Type)
		list = append(list, member{tag.Get("json"), tag.Get("unit"), strings.Join(said, " "), inner})
	}
	return list
}

// element returns the struct that a type of a field has: behind pointers, slices and sequences.
func (s structs) element(f *file, t ast.Expr) (of structRef) {
	switch t := t.(type) {
	case *ast.StarExpr:
		return s.element(f, t.X)
	case *ast.ArrayType:
		return s.element(f, t.Elt)
	case *ast.IndexExpr: // iter.Seq[T]
		return s.element(f, t.Index)
	case *ast.Ident:
		of = structRef{f.dir, t.Name}
	case *ast.SelectorExpr:
		for _, imp := range f.imports {
			if dir, ok := strings.CutPrefix(imp, module+"/"); ok && path.Base(dir) == t.X.(*ast.Ident).Name {
				of = structRef{dir, t.Sel.Name}
			}
		}
	}
	if s.declared[of] == nil {
		return structRef{}
	}
	return of
}

// used counts how often a struct is in others, from a listing on.
func (s structs) used(of structRef, count map[structRef]int) {
	if count[of]++; count[of] > 1 {
		return
	}
	for _, m := range s.members(of) {
		if m.of != (structRef{}) {
			s.used(m.of, count)
		}
	}
}

// A jsonWriter writes the tables of the page.
type jsonWriter struct {
	structs
	shared map[structRef]string // with the heading that has its members
	b      strings.Builder
}

// object writes the heading and the table of a listing, or of an object that several have.
func (w *jsonWriter) object(heading string, of structRef) {
	w.b.WriteString("\n### " + heading + "\n\n")
	if plain := w.plain(of); plain != "" {
		w.b.WriteString("With " + plain + ".\n\n")
	}
	w.b.WriteString("member | meaning\n--- | ---\n")
	w.rows("", of)
}

// plain lists the members that explain themselves.
func (w *jsonWriter) plain(of structRef) string {
	var list []string
	for _, m := range w.members(of) {
		if link := w.link(m.of); m.text == "" && (m.of == (structRef{}) || link != "") {
			list = append(list, m.title()+link)
		}
	}
	return strings.Join(list, ", ")
}

// link leads to an object that several listings have; it is empty for others.
func (w *jsonWriter) link(of structRef) string {
	heading, ok := w.shared[of]
	if !ok {
		return ""
	}
	return " ([" + heading + "](#" + strings.ReplaceAll(strings.ToLower(heading), " ", "-") + "))"
}

func (w *jsonWriter) rows(prefix string, of structRef) {
	for _, m := range w.members(of) {
		text, link := strings.ReplaceAll(m.text, "|", `\|`), w.link(m.of)
		if text == "" && (m.of == (structRef{}) || link != "") {
			continue
		}
		m.name = prefix + m.name
		inner := m.of != (structRef{}) && link == ""
		if inner {
			if plain := w.plain(m.of); plain != "" {
				text = strings.TrimPrefix(text+"; with "+plain, "; ")
			}
		}
		w.b.WriteString(m.title() + " | " + text + link + "\n")
		if inner {
			w.rows(m.name+".", m.of)
		}
	}
}

// jsonTables returns the generated part of the page.
func jsonTables(t *testing.T) string {
	w := &jsonWriter{structs: structsOf(t), shared: map[structRef]string{}}
	count := map[structRef]int{}
	for _, l := range listings {
		w.used(l.of, count)
	}
	var shared []structRef
	for of, n := range count {
		if n > 1 && len(w.members(of)) > 2 {
			w.shared[of] = of.name
			shared = append(shared, of)
		}
	}
	for _, l := range listings {
		if _, both := w.shared[l.of]; both {
			w.shared[l.of] = l.command
			shared = slices.DeleteFunc(shared, func(of structRef) bool { return of == l.of })
		}
	}
	slices.SortFunc(shared, func(a, b structRef) int { return strings.Compare(a.name, b.name) })
	w.b.WriteString(jsonMembers)
	for _, l := range listings {
		w.object(l.command, l.of)
	}
	w.b.WriteString(sharedHeader)
	for _, of := range shared {
		w.object(of.name, of)
	}
	return w.b.String()
}

// The page describes every listing, as the source has it.
func TestJSONPageIsThatOfTheSource(t *testing.T) {
	name := filepath.Join(root, jsonPage)
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, got, ok := strings.Cut(string(page), jsonMembers)
	if !ok {
		t.Fatalf("%s has no heading %q", jsonPage, jsonMembers)
	}
	want := jsonTables(t)
	if *update {
		if err := os.WriteFile(name, []byte(before+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(jsonMembers+got, "\n")); d != "" {
		t.Errorf("%s; go test ./internal/policy -run JSON -update writes it anew (-source +page):\n%s", jsonPage, d)
	}
}

// A number has a unit, and nothing else has one. The page has each member of each listing, with its
// unit, below the heading of the listing or of an object that the listing links to.
func TestJSONPageHasAllMembers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, jsonPage))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^`([a-z0-9_.]+)`(?: \\(([a-z_0-9/^]+)\\))? \\| (.*)$")
	name := regexp.MustCompile("`([a-z0-9_.]+)`(?: \\(([a-z_0-9/^]+)\\))?(?: \\(\\[([^]]+)\\]\\(#[^)]*\\)\\))?")
	link := regexp.MustCompile(`\(\[([^]]+)\]\(#[^)]*\)\)$`)
	var has func(heading, prefix string, units map[string]string)
	has = func(heading, prefix string, units map[string]string) {
		_, section, ok := strings.Cut(string(text), "\n### "+heading+"\n")
		if !ok {
			t.Errorf("%s has no heading %q", jsonPage, heading)
		}
		section, _, _ = strings.Cut(section, "\n### ")
		section, _, _ = strings.Cut(section, "\n## ")
		plain := func(prefix, list string) {
			for _, m := range name.FindAllStringSubmatch(list, -1) {
				if units[prefix+m[1]] = m[2]; m[3] != "" {
					has(m[3], prefix+m[1]+".", units)
				}
			}
		}
		with, rows, _ := strings.Cut(section, "member | ")
		plain(prefix, with)
		for _, m := range row.FindAllStringSubmatch(rows, -1) {
			units[prefix+m[1]] = m[2]
			if _, with, ok := strings.Cut("; "+m[3], "; with `"); ok {
				plain(prefix+m[1]+".", "`"+with)
			} else if to := link.FindStringSubmatch(m[3]); to != nil {
				has(to[1], prefix+m[1]+".", units)
			}
		}
	}
	for _, l := range listings {
		value, ok := reflected[l.command]
		if !ok {
			continue // the tracer's, on other systems
		}
		units := map[string]string{}
		has(l.command, "", units)
		for _, f := range listing.Fields(value) {
			if f.Number == (f.Unit == "") {
				t.Errorf("%s: %s has the unit %q; a number has one, other fields have none", l.command, f.Name, f.Unit)
			}
			unit, ok := units[f.Name]
			if unit == "" && obvious(f.Name, f.Unit) {
				unit = f.Unit
			}
			if !ok || unit != f.Unit {
				t.Errorf("%s: %s has the member %s: %v, with the unit %q; want %q", jsonPage, l.command, f.Name, ok, unit, f.Unit)
			}
		}
	}
}
