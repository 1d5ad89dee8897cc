// Package gocompiler builds a Go compiler that charges nothing for the statements that
// pepbuild inserts when it decides what to inline, makes polls a test and a jump, and inlines no functions for taps.
//
//	c, err := gocompiler.Find(&gocompiler.Config{GOROOT: "/usr/local/go", …})
//	c.Path   // "/home/ann/.cache/pepbuild/compiler-2f1c0e4b9a7d3c55/compile"
//	c.Key    // "2f1c0e4b9a7d3c55": for the key of the build cache
//
// The source is that of the Go installation, cmd/compile, with a few lines more in packages
// inline (see inserted.go.txt), ssa, ssagen, amd64 and x86 (see polls.go.txt, paths.go.txt
// and taps.go.txt) through an overlay; the files of the installation stay as they are. The
// go command takes half a minute of two cores for it, once per release of Go.
//
// The compiler is used only if it makes the same object file of a plain package as the
// installation's own. So a source that does not belong to that compiler is noticed. Package
// toolexec compiles instrumented packages with it, and no others.
package gocompiler

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

//go:embed inserted.go.txt
var inserted []byte

//go:embed paths.go.txt
var paths []byte

//go:embed polls.go.txt
var polls []byte

//go:embed taps.go.txt
var taps []byte

// A file is a file of the compiler's source, below cmd/compile/internal, that the overlay changes
// or adds.
type file struct {
	name  string
	text  []byte // of a file that the overlay adds
	edits []edit // of one that it changes
}

// An edit is a change of a file: new stands in place of old, which occurs once.
type edit struct{ old, new string }

var files = []file{
	{name: "inline/pepinserted.go", text: inserted},
	{name: "inline/inl.go", edits: []edit{
		// hairyVisitor.doNode, which adds up the cost of a function.
		{
			"opSwitch:\n\tswitch n.Op() {\n",
			"\tif pepInserted(n) || v.pepIsDead(n) {\n\t\tv.pepVisit(n)\n\t\treturn false\n\t}\n" +
				"\tif hairy, done := v.pepBodies(n); done {\n\t\treturn hairy\n\t}\n\tv.budget += pepCredit(n)\nopSwitch:\n\tswitch n.Op() {\n",
		},
		// IsBigFunc, which counts the nodes of a function: little is inlined into big ones.
		{
			"\t\tbudget--\n\t\treturn budget <= 0\n",
			"\t\tbudget += pepNodes(n) - 1\n\t\treturn budget <= 0\n",
		},
		// canDelayResults, which counts the returns of a function.
		{"nreturns := 0\n\tir.VisitList(fn.Body,", "nreturns := 0\n\tir.VisitList(pepCounted(fn.Body),"},
	}},
	{name: "noder/reader.go", edits: []edit{
		// unifiedInlineCall, which reads the body of a function to inline it.
		{
			"\t\t\tr.curfn.Body = r.stmts()\n\t\t\tr.curfn.Endlineno = r.pos()\n\t\t}\n\n\t\t// TODO(mdempsky): This shouldn't be necessary. Inlining",
			"\t\t\tr.curfn.Body = inline.PepInlined(call, r.stmts(), callerfn, retvars, &r.delayResults)\n\t\t\tr.curfn.Endlineno = r.pos()\n\t\t}\n\n\t\t// TODO(mdempsky): This shouldn't be necessary. Inlining",
		},
	}},
	{name: "ssa/peppaths.go", text: paths},
	{name: "ssa/branchelim.go", edits: []edit{
		// elimIf and elimIfElse, which make conditional moves of short branches.
		{
			"if len(simple.Values) > maxfuseinsts ||",
			"if len(simple.Values)-pepPaths(simple) > maxfuseinsts ||",
		},
		{
			"if !isLeafPlain(yes) || len(yes.Values) > 1 ||",
			"if !isLeafPlain(yes) || len(yes.Values)-pepPaths(yes) > 1 ||",
		},
		{
			"if !isLeafPlain(no) || len(no.Values) > 1 ||",
			"if !isLeafPlain(no) || len(no.Values)-pepPaths(no) > 1 ||",
		},
		{
			"\t\t\tif v.Op == OpPhi {\n\t\t\t\t// Each phi",
			"\t\t\tif pepPath(v) {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tif v.Op == OpPhi {\n\t\t\t\t// Each phi",
		},
	}},
	{name: "ssa/phiopt.go", edits: []edit{
		// phiopt, which makes a conversion of a condition of 0 on one way and 1 on the other.
		{
			"if v.Type.IsInteger() {\n\t\t\t\tphioptint(",
			"if v.Type.IsInteger() && !pepPath(v) {\n\t\t\t\tphioptint(",
		},
	}},
	{name: "ssa/compile.go", edits: []edit{
		// passes, in order.
		{
			"\t{name: \"late deadcode\", fn: deadcode},\n",
			"\t{name: \"pep polls\", fn: pepPolls},\n\t{name: \"late deadcode\", fn: deadcode},\n",
		},
		{
			"\t{name: \"trim\", fn: trim},",
			"\t{name: \"pep jumps\", fn: pepJumps},\n\t{name: \"trim\", fn: trim},",
		},
	}},
	{name: "ssa/nilcheck.go", edits: []edit{
		// nilcheckelim2, which drops checks of pointers that the program loads from.
		{
			"if opcodeTable[v.Op].nilCheck && unnecessary",
			"if opcodeTable[v.Op].nilCheck && !pepKept(v, unnecessary) && unnecessary",
		},
	}},
	{name: "ssagen/ssa.go", edits: []edit{
		// genssa, which gives the first instruction of a function the position of its first statement. If that
		// instruction is a poll of an inlined function, its position says which function's path it counts.
		{
			"if firstPos != src.NoXPos && v.Op != ssa.OpArgIntReg &&",
			"if firstPos != src.NoXPos && (v.Op != ssa.OpAMD64LoweredNilCheck || v.Aux == nil) && v.Op != ssa.OpArgIntReg &&",
		},
		// State, of a function whose instructions are written.
		{
			"\tlineRunStart *obj.Prog\n",
			"\tlineRunStart *obj.Prog\n\n\tpepCold []pepCold\n",
		},
		// genssa, when all blocks are written, and when it is known in which functions there are calls.
		{
			"\tif base.Ctxt.Flag_locationlists {\n\t\tvar debugInfo *ssa.FuncDebug\n",
			"\ts.pepFinish()\n\n\tif base.Ctxt.Flag_locationlists {\n\t\tvar debugInfo *ssa.FuncDebug\n",
		},
	}},
	{name: "ssagen/peppolls.go", text: polls},
	{name: "ssagen/peptaps.go", text: taps},
	{name: "ssagen/intrinsics.go", edits: []edit{
		// initIntrinsics, which says which calls are no calls.
		{
			"\t/******** runtime ********/\n",
			"\tif pepHasStub() {\n\t\taddF(\"0pep/core\", \"Poll\", pepPoll, sys.AMD64)\n\t}\n\taddF(\"0pep/core\", \"Tap\", pepTap, sys.AMD64)\n\n\t/******** runtime ********/\n",
		},
	}},
	{name: "../../internal/obj/x86/obj6.go", edits: []edit{
		// preprocess, which gives functions that call something a frame.
		{
			"if q.As == obj.ACALL || q.As == obj.ADUFFCOPY || q.As == obj.ADUFFZERO {",
			"if q.As == obj.ACALL && !pepStub(q.To.Sym) || q.As == obj.ADUFFCOPY || q.As == obj.ADUFFZERO {",
		},
		// preprocess, which has functions test whether the stack has room for them.
		{
			"\t\t\t\tif !isZeroArgRuntimeCall(q.To.Sym) {",
			"\t\t\t\tif !isZeroArgRuntimeCall(q.To.Sym) && !pepStub(q.To.Sym) {",
		},
		{
			"func isZeroArgRuntimeCall(",
			"func pepStub(s *obj.LSym) bool { return s != nil && s.Name == \"0pep/core.flagPoll\" }\n\nfunc isZeroArgRuntimeCall(",
		},
	}},
	{name: "amd64/ssa.go", edits: []edit{
		// ssaGenValue, where the instruction of a check begins.
		{
			"\tcase ssa.OpAMD64LoweredNilCheck:\n",
			"\tcase ssa.OpAMD64LoweredNilCheck:\n\t\tif v.Aux != nil {\n\t\t\ts.PepPoll(v)\n\t\t\tbreak\n\t\t}\n",
		},
		// ssaGenBlock, which writes a jump to the only block behind b.
		{
			"\t\tif b.Succs[0].Block() != next {\n\t\t\tp := s.Prog(obj.AJMP)\n",
			"\t\tif b.Succs[0].Block() != next && !s.PepJump(b.Succs[0].Block()) {\n\t\t\tp := s.Prog(obj.AJMP)\n",
		},
	}},
}

// A Config says which compiler is wanted.
type Config struct {
	GOROOT    string
	GOTOOLDIR string // where the installation's compiler is
	GOVERSION string
	GOCACHE   string
	CacheDir  string       // where the compiler is kept
	Announce  func(string) // called with one line before a build that takes long
}

// A Compiler is what Find has found or built.
type Compiler struct {
	Path string
	Key  string // differs for compilers that may make different code
}

// Find returns the compiler. If it is not in the cache, Find builds it. An error says why
// there is none: the source is missing, or it is of a release that the edits do not fit.
func Find(cfg *Config) (*Compiler, error) {
	stock := filepath.Join(cfg.GOTOOLDIR, exe("compile"))
	info, err := os.Stat(stock)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintln(h, cfg.GOVERSION, stock, info.Size(), info.ModTime().UnixNano(), runtime.GOOS, runtime.GOARCH)
	b := &builder{Config: cfg, stock: stock, texts: map[string][]byte{}}
	for _, f := range files {
		name := filepath.Join(cfg.GOROOT, "src", "cmd", "compile", "internal", filepath.FromSlash(f.name))
		text, err := f.edited(name)
		if err != nil {
			return nil, err
		}
		b.texts[name] = text
		fmt.Fprintln(h, f.name, len(text))
		h.Write(text)
	}
	c := &Compiler{Key: hex.EncodeToString(h.Sum(nil))[:16]}
	c.Path = filepath.Join(cfg.CacheDir, "compiler-"+c.Key, exe("compile"))
	if _, err := os.Stat(c.Path); err == nil {
		return c, nil
	}
	b.target = c.Path
	return c, b.build()
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// edited returns the text that the overlay has for f, which is the file name of the
// installation.
func (f *file) edited(name string) ([]byte, error) {
	if f.text != nil {
		return f.text, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for _, e := range f.edits {
		if n := bytes.Count(text, []byte(e.old)); n != 1 {
			return nil, fmt.Errorf("%s: %q occurs %d times, want once: pepbuild does not know this source", name, e.old, n)
		}
		text = bytes.Replace(text, []byte(e.old), []byte(e.new), 1)
	}
	return text, nil
}

type builder struct {
	*Config
	stock  string            // the installation's compiler
	texts  map[string][]byte // of the overlay, by the names of the files that they replace
	target string
}

// build builds the compiler in a temporary directory, and renames that when the compiler
// has passed its test, so that concurrent builds never see part of it.
func (b *builder) build() (err error) {
	b.Announce("building a Go compiler that inlines in profiled programs what it inlines in plain ones: once per Go release, about a minute of CPU time")
	if err := os.MkdirAll(b.CacheDir, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(b.CacheDir, "compiler-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return err
	}
	overlay, err := b.overlay(work)
	if err != nil {
		return err
	}
	compiler := filepath.Join(made, exe("compile"))
	// Dependences are vendored: nothing is downloaded. Without the compiler's own profile the
	// build takes less time than the profile would save in most builds.
	if err := b.run(filepath.Join(b.GOROOT, "src", "cmd"), b.env(work), filepath.Join(b.GOROOT, "bin", exe("go")),
		"build", "-overlay="+overlay, "-trimpath", "-pgo=off", "-ldflags=-s -w", "-o", compiler, "cmd/compile"); err != nil {
		return err
	}
	if err := b.compare(work, compiler); err != nil {
		return err
	}
	return place(made, b.target)
}

// place renames the directory made to that of target. A concurrent build may have been faster. A directory
// without the compiler, as programs leave it that clean caches by the age of files, is replaced.
func place(made, target string) error {
	dir := filepath.Dir(target)
	err := os.Rename(made, dir)
	if err == nil {
		return nil
	}
	if _, statErr := os.Stat(target); statErr == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(made, dir)
}

// overlay writes the texts of the overlay, and returns the name of the file for -overlay.
func (b *builder) overlay(work string) (string, error) {
	replace := map[string]string{}
	for name, text := range b.texts {
		file := filepath.Join(work, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return "", err
		}
		replace[name] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(work, "overlay.json")
	return name, os.WriteFile(name, list, 0o666)
}

// env returns the environment for the go command. Settings of the user's build are not for
// the compiler: it may be for another system, and have other flags.
func (b *builder) env(work string) (env []string) {
	for _, s := range os.Environ() {
		if !strings.HasPrefix(s, "GO") && !strings.HasPrefix(s, "CGO_") && !strings.HasPrefix(s, "PWD=") {
			env = append(env, s)
		}
	}
	// The go command refuses overlays over files in the module cache, where the
	// installation is if the go command has downloaded it. So it is told another place.
	return append(env, "GOENV=off", "GOTOOLCHAIN=local", "GOROOT="+b.GOROOT, "GOCACHE="+b.GOCACHE, "GOMODCACHE="+filepath.Join(work, "mod"),
		"GOPROXY=off", "CGO_ENABLED=0", "GOWORK=off", "GOTELEMETRY=off")
}

// compare returns an error unless the compiler makes of a package without inserted
// statements what the installation's compiler makes of it.
func (b *builder) compare(work, compiler string) error {
	var objects [][]byte
	for _, c := range []string{b.stock, compiler} {
		out := filepath.Join(work, "utf8.o")
		source := filepath.Join(b.GOROOT, "src", "unicode", "utf8")
		if err := b.run(source, append(os.Environ(), "PWD="+source), c, "-p", "unicode/utf8", "-complete", "-o", out, "utf8.go"); err != nil {
			return err
		}
		object, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	if !bytes.Equal(objects[0], objects[1]) {
		return fmt.Errorf("the source in %s is not that of %s: they compile a package differently", b.GOROOT, b.stock)
	}
	return nil
}

// run runs a command. An error has the end of what it prints.
func (b *builder) run(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, strings.Join(lines[max(0, len(lines)-3):], "; "))
	}
	return nil
}
