package toolexec

// This file instruments a package on its way to the compiler.

import (
	"errors"
	"fmt"
	"go/types"
	"go/version"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/gobuild/internal/linked"
	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
)

// pollsMember is the archive member of each package that may have polls. It has the tag of a package that
// they come from, as far as the compiler has to know it: see plan.Tag.Importers.
const pollsMember = "pep.polls"

// compile runs a compile command, on instrumented source if it is tagged.
func (t *tool) compile() (int, error) {
	value, i := t.flag(plan.TagFlag)
	if i < 0 {
		return t.compileOther()
	}
	t.args = append(append([]string(nil), t.args[:i]...), t.args[i+1:]...)
	if _, ok := t.flag("-V"); ok >= 0 {
		return t.become()
	}
	if err := t.tell(t.plan.Progress); err != nil {
		return 1, err
	}
	tag, err := plan.ParseTag(value)
	if err != nil {
		return 1, err
	}
	switch tag.Work {
	case plan.Runtime:
		return t.compileRuntime()
	case plan.Branches:
		return t.compileWithBranches(tag, t.isTestMain())
	case plan.Main:
		return t.compileWithBranches(tag, t.isMain())
	case plan.Untabled:
		return t.compileWithoutTable()
	case plan.Counts:
		return t.compileWithCounts(tag.Counts)
	}
	if err := t.choose(); err != nil {
		return 1, err
	}
	c := &compilation{tool: t, tag: tag}
	if err := c.read(); err != nil {
		return 1, err
	}
	return c.run()
}

// isMain reports whether the package is a main package. Under test it is none.
func (t *tool) isMain() bool { return t.lastFlag("-p") == "main" }

// isTestMain reports whether the package is the main package that the go command makes for tests. It has the flags of
// the package that is tested.
func (t *tool) isTestMain() bool {
	return slices.ContainsFunc(t.args, func(arg string) bool { return filepath.Base(arg) == "_testmain.go" })
}

// compileOther compiles a package that is not instrumented. If it imports one that is, the compiler may inline
// functions of that one, polls and all, and it compiles instances of generic functions. So the package gets the
// compiler of instrumented packages, and the packages that import it do likewise.
func (t *tool) compileOther() (int, error) {
	cfg, i := t.flag("-importcfg")
	out, o := t.flag("-o")
	if i < 0 || o < 0 {
		return t.become() // -V=full, for example
	}
	imports, err := readImports(cfg)
	if err != nil {
		return 1, err
	}
	polls, err := imports.polls()
	if err != nil {
		return 1, err
	}
	if polls == "" {
		return t.become()
	}
	if err := t.choose(); err != nil {
		return 1, err
	}
	if code, err := t.run(t.args); code != 0 || err != nil {
		return code, err
	}
	return 0, archive.Add(out, pollsMember, []byte(polls))
}

// choose chooses pepbuild's compiler.
func (t *tool) choose() error {
	if t.plan.Compiler == "" {
		return notSet("compiler")
	}
	t.path = t.plan.Compiler
	return nil
}

// notSet is the error for something that the plan does not name.
func notSet(what string) error {
	return fmt.Errorf("%s names no %s: the toolexec verb is for pepbuild's own use", plan.Env, what)
}

// A compilation is a compile command that is tagged.
type compilation struct {
	*tool
	tag       plan.Tag
	path      string // import path
	out       string // archive to write
	importcfg string
	rewrites  string         // of file names, from -trimpath
	files     map[string]int // Go files by absolute name: index in args
	order     []string       // the same in order
}

func (c *compilation) read() error {
	c.path, _ = c.flag("-p")
	c.out, _ = c.flag("-o")
	c.importcfg, _ = c.flag("-importcfg")
	c.rewrites, _ = c.flag("-trimpath")
	files, err := c.goFiles(c.rewrites)
	if err != nil {
		return err
	}
	c.files = map[string]int{}
	for _, f := range files {
		c.files[f.name] = f.index
		c.order = append(c.order, f.name)
	}
	if c.path == "" || c.out == "" || c.importcfg == "" || len(c.order) == 0 {
		return errors.New("the compile command has no -p, -o, -importcfg or Go files: pepbuild does not know this version of Go")
	}
	return nil
}

// A goFile is an argument of a compile command.
type goFile struct {
	name     string // absolute
	original string // the name in positions
	index    int    // of the argument
}

// goFiles returns the Go files of a compile command, which are its last arguments. With an overlay a file
// may have any name, and one of the rewrites of file names says what it stands for.
func (t *tool) goFiles(rewrites string) (files []goFile, err error) {
	for i := len(t.args) - 1; i >= 0; i-- {
		abs, err := filepath.Abs(t.args[i])
		if err != nil {
			return nil, err
		}
		original := trimmed(abs, rewrites)
		if !strings.HasSuffix(abs, ".go") && !strings.HasSuffix(original, ".go") {
			break
		}
		files = append(files, goFile{abs, original, i})
	}
	slices.Reverse(files)
	return files, nil
}

func (c *compilation) run() (int, error) {
	if err := c.collectLate(); err != nil {
		return 1, err
	}
	imports, err := readImports(c.importcfg)
	if err != nil {
		return 1, err
	}
	taps, err := c.tag.Taps.Options()
	if err != nil {
		return 1, err
	}
	pattern, err := c.tag.Pattern()
	if err != nil {
		return 1, err
	}
	profiled, err := c.readGuide()
	if err != nil {
		return 1, err
	}
	lang, kind := c.lastFlag("-lang"), c.tag.Mode.Kind()
	res, err := instrument.Do(&instrument.Package{
		Path:      c.path,
		Files:     c.order,
		Importer:  imports,
		GoVersion: lang,
		Sizes:     types.SizesFor("gc", os.Getenv("GOARCH")),
		CorePath:  linked.CorePath,
		Rename:    func(name string) string { return trimmed(name, c.rewrites) },

		NamesInFolder: version.Compare(c.plan.Release, "go1.27") >= 0,
	}, instrument.Options{Ends: kind.Ends, Decisions: kind.Decisions, Without: rewrite.Without(c.tag.Without),
		Numbers: c.tag.Numbering(), Taps: taps, Bisect: pattern, Guide: profiled})
	if internal := (*instrument.InternalError)(nil); errors.As(err, &internal) {
		return 1, reportInternal(c.stderr, internal)
	}
	if err != nil {
		// The compiler reports mistakes of the user's better than we can.
		code, runErr := c.tool.run(c.args)
		if code == 0 && runErr == nil {
			return 1, fmt.Errorf("%s compiles but cannot be instrumented: %w; exclude it with -peppkg", c.path, err)
		}
		return code, runErr
	}
	if plantMistake != nil {
		plantMistake(res)
	}
	for _, line := range res.Matches {
		fmt.Fprintln(c.stderr, line)
	}
	if res.Taps != nil && res.Taps.Dropped > 0 {
		fmt.Fprintf(c.stderr, "pepbuild: %d of %d tap sites left out by -pepsites=%d\n",
			res.Taps.Dropped, res.Taps.Dropped+len(res.Taps.Sites), c.tag.Taps.Sites)
	}
	if err := c.replace(res); err != nil {
		return 1, err
	}
	// The compiler needs much memory, too: that of the syntax trees and types goes back to the system before.
	sites, guided := wire.AppendPackage(nil, res.Sites), res.Guided
	debug.FreeOSMemory()
	code, err := c.tool.run(c.args)
	if code != 0 || err != nil {
		return code, err
	}
	if profiled != nil {
		if err := addMatch(c.out, guided); err != nil {
			return 1, err
		}
	}
	return 0, errors.Join(
		archive.Add(c.out, sitesMember, sites),
		archive.Add(c.out, pollsMember, []byte(c.tag.Importers().String())),
	)
}

// collectLate keeps the garbage collector from running early and often. Most of what the process
// allocates stays in use until the text is written, so an early run frees little. The first run
// begins with a heap of 64 MB, or of 64 bytes for each byte of source if that is more: the compiler
// needs about 170 for a big package.
func (c *compilation) collectLate() error {
	source := int64(0)
	for _, name := range c.order {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		source += info.Size()
	}
	collectLate(max(64<<20, 64*source))
	return nil
}

// tell adds the package to the file that says how far the build is.
func (t *tool) tell(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, t.lastFlag("-p")+"\n")
	return errors.Join(err, f.Close())
}

// plantMistake is set by tests, which let -pepbisect find the mistake.
var plantMistake func(*instrument.Result)

// reportInternal prints the stack of an internal error, and returns the error that
// the user sees. It says that pepbuild is wrong and not the user's program.
func reportInternal(stderr io.Writer, err *instrument.InternalError) error {
	fmt.Fprintf(stderr, "pepbuild: stack of the internal error below:\n%s\n", err.Stack)
	return fmt.Errorf("%w: the stack is printed above; -peppkg can exclude the package %s", err, err.Package)
}

// replace writes the instrumented files and has the command compile them.
func (c *compilation) replace(res *instrument.Result) error {
	dir := filepath.Join(filepath.Dir(c.out), "pep")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range res.Text {
		file := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
		c.args[c.files[name]] = file
	}
	if res.Table != "" {
		file := filepath.Join(dir, "pep_table.go")
		if err := os.WriteFile(file, []byte(res.Table), 0o666); err != nil {
			return err
		}
		// It goes before all other files, so that the order in which variables are
		// initialised does not change.
		c.args = slices.Insert(c.args, c.files[c.order[0]], file)
	}
	if c.tag.Dump != "" {
		if err := listTaps(res, filepath.Join(dir, "taps.txt")); err != nil {
			return err
		}
		if err := writeGraphs(res, filepath.Join(dir, "graphs.txt")); err != nil {
			return err
		}
		if err := dump(c.tag.Dump, c.path, dir); err != nil {
			return err
		}
	}
	linked, err := c.linkedPackages(false)
	if err != nil {
		return err
	}
	cfg := filepath.Join(dir, "importcfg")
	if err := join(cfg, linked, c.importcfg); err != nil {
		return err
	}
	_, i := c.flag("-importcfg")
	c.args = withFlag(c.args, i, "-importcfg", cfg)
	return nil
}

// writeGraphs writes the graphs and plans of the functions to a file.
func writeGraphs(res *instrument.Result, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(res.WriteGraphs(f), f.Close())
}

// dump copies the instrumented files of a package to the directory that the user has
// named.
func dump(root, path, dir string) error {
	to := filepath.Join(root, filepath.FromSlash(path))
	// Remove the files of an earlier build, but no directories: they belong to other
	// packages, which concurrent calls may be writing.
	old, err := os.ReadDir(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range old {
		if !e.IsDir() {
			if err := os.Remove(filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.CopyFS(to, os.DirFS(dir))
}

// linkedPackages returns the lines of the importcfg for the linked runtime. They are
// the same for programs with and without C code: only the linker sees a difference.
func (t *tool) linkedPackages(withC bool) (string, error) {
	name := t.plan.Linked
	if name == "" {
		return "", notSet("runtime")
	}
	if withC {
		name = linked.WithC(name)
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// trimmed applies the compiler's -trimpath rewrites to a file name, as
// cmd/internal/objabi does: a list, separated by semicolons, of a prefix and
// what to put in its place.
func trimmed(name, rewrites string) string {
	for rule := range strings.SplitSeq(rewrites, ";") {
		prefix, with, _ := strings.Cut(rule, "=>")
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || prefix == "" || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
			continue
		}
		if with == "" {
			return strings.TrimLeft(rest, `/\`)
		}
		return with + rest
	}
	return name
}
