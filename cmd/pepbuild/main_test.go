package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of scripts")

// TestScripts runs the scripts in testdata/script. Each builds a program with
// pepbuild and with go, and compares what the two do.
func TestScripts(t *testing.T) {
	env, err := goEnv("GOCACHE", "GOMODCACHE", "GOROOT", "GOPROXY", "GOFLAGS")
	if err != nil {
		t.Fatal(err)
	}
	self := pepbuildtest.Pepbuild(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			e.Vars = append(e.Vars, env...)
			// The caches are the user's own: std is compiled there already.
			e.Vars = append(e.Vars, "XDG_CACHE_HOME="+cache, "GOTOOLCHAIN=local", "GOSUMDB=off",
				"PEPDIR="+filepath.Join(e.WorkDir, "prof"), "PEPBUILD="+self)
			e.Setenv("PATH", filepath.Dir(self)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return os.Mkdir(filepath.Join(e.WorkDir, "prof"), 0o777)
		},
		Condition: func(cond string) (bool, error) {
			if release, ok := strings.CutPrefix(cond, "local:"); ok {
				return strings.HasPrefix(runtime.Version(), release+"."), nil
			}
			switch cond {
			case "cgo":
				_, err := exec.LookPath("gcc")
				return err == nil, nil
			case "root":
				return os.Getuid() == 0, nil
			case "runs386": // a program for linux/386 runs; [386] asks for what the test is built
				return runs386(), nil
			case "newest": // release of Go is there, or can be downloaded
				return newest() == nil, nil
			case "gdb": // it is there and may trace
				out, _ := exec.Command("gdb", "-nx", "-batch", "-ex", "run", "/bin/true").Output()
				return bytes.Contains(out, []byte("exited normally")), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"same":      same,
			"exitcode":  exitCode,
			"snapshot":  snapshot,
			"profiled":  profiled,
			"dies":      dies,
			"raw":       raw,
			"tabled":    tabled,
			"comment":   comment,
			"recovered": recovered,
			"alike":     alike,
			"keep":      keep,
		},
	})
}

// newest returns an error if the newest release of Go that pepbuild knows cannot be had. It is
// downloaded once.
var newest = sync.OnceValue(func() error {
	cmd := exec.Command("go", "version")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=go1.27.3")
	return cmd.Run()
})

// runs386 reports whether a program for linux/386 can be built and runs here: the kernel may lack it, or refuse it.
var runs386 = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "runs386-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	source, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "prog")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return false
	}
	cmd := exec.Command("go", "build", "-o", exe, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0")
	return cmd.Run() == nil && exec.Command(exe).Run() == nil
})

func goEnv(names ...string) ([]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, err
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		names[i] = name + "=" + values[i]
	}
	return names, nil
}

// same runs two programs with the same arguments and compares their exit codes
// and what they print, but for addresses and the tracebacks of panics.
//
//	same plain profiled arg...
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: same plain profiled arg...")
	}
	plain, profiled := outcome(ts, args[0], args[2:]), outcome(ts, args[1], args[2:])
	if plain != profiled {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], plain, args[1], profiled)
	}
}

var varying = regexp.MustCompile(`0x[0-9a-f]+|m=\d+|(?ms)^goroutine \d+ .*`)

func outcome(ts *testscript.TestScript, name string, args []string) string {
	var out, stderr bytes.Buffer
	cmd := exec.Command(ts.MkAbs(name), args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PEPDIR="+ts.Getenv("PEPDIR"), "PEPOPTS="+ts.Getenv("PEPOPTS"))
	cmd.Stdout, cmd.Stderr = &out, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	return fmt.Sprintf("%s\n[stdout]\n%s[stderr]\n%s", cmd.ProcessState,
		varying.ReplaceAllString(out.String(), ""), varying.ReplaceAllString(stderr.String(), ""))
}

// exitCode runs a command that must end with the given exit code.
//
//	exitcode 2 pepbuild -wrong
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode code command arg...")
	}
	got := "0"
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = strconv.Itoa(exit.ExitCode())
	} else {
		ts.Check(err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// snapshot writes the names, sizes and times of the files in a directory to a
// file outside of it.
//
//	snapshot dir file
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot dir file")
	}
	var b strings.Builder
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, name, info.Mode(), info.ModTime().UnixNano())
		}
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o666))
}

var ofTaps = regexp.MustCompile(`\.(values|types|calltargets|deps|contexts|loads)\.pb\.gz$`)

// profiled checks that PEPDIR holds the two profiles of one run of a program,
// those of its taps and loads if it has some, and nothing else of it, and removes them.
// Patterns must match functions in the path profile.
//
//	profiled prog [pattern...]
func profiled(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: [!] profiled prog [pattern...]")
	}
	files, err := filepath.Glob(filepath.Join(ts.Getenv("PEPDIR"), args[0]+".*"))
	ts.Check(err)
	if neg {
		if len(files) > 0 {
			ts.Fatalf("there are profiles: %q", files)
		}
		return
	}
	paths := slices.DeleteFunc(slices.Clone(files), ofTaps.MatchString)
	if len(paths) != 2 || !strings.HasSuffix(paths[0], ".edges.pb.gz") || !strings.HasSuffix(paths[1], ".paths.pb.gz") {
		ts.Fatalf("want profiles of edges and paths of one run, got %q", files)
	}
	funcs := functions(ts, paths[1])
	for _, pattern := range args[1:] {
		re, err := regexp.Compile(`(?m)` + pattern)
		ts.Check(err)
		if !re.MatchString(funcs) {
			ts.Fatalf("no function matches %q:\n%s", pattern, funcs)
		}
	}
	for _, f := range files {
		ts.Check(os.Remove(f))
	}
}

// functions returns the names and files of the functions in a profile, a line
// for each.
func functions(ts *testscript.TestScript, file string) string {
	f, err := os.Open(file)
	ts.Check(err)
	defer f.Close()
	p, err := profile.Parse(f)
	ts.Check(err)
	var b strings.Builder
	for _, fn := range p.Function {
		fmt.Fprintln(&b, fn.Name, fn.Filename)
	}
	return b.String()
}

// raw prints the path profile of a program as text, and removes its profiles.
//
//	raw prog
func raw(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: raw prog")
	}
	fmt.Fprintln(ts.Stdout(), pathProfile(ts, args[0]))
}

// pathProfile reads the path profile of a program, and removes its profiles.
func pathProfile(ts *testscript.TestScript, prog string) *profile.Profile {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("PEPDIR"), prog+".*"))
	ts.Check(err)
	counts := slices.DeleteFunc(slices.Clone(files), ofTaps.MatchString)
	if len(counts) != 2 {
		ts.Fatalf("want two profiles, got %q", files)
	}
	f, err := os.Open(counts[1])
	ts.Check(err)
	defer f.Close()
	p, err := profile.Parse(f)
	ts.Check(err)
	for _, f := range files {
		ts.Check(os.Remove(f))
	}
	return p
}

// keep moves one of the two profiles of a program, and removes the other.
//
//	keep prog edges file
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: keep prog edges file")
	}
	files, err := filepath.Glob(filepath.Join(ts.Getenv("PEPDIR"), args[0]+".*"))
	ts.Check(err)
	kept := false
	for _, name := range files {
		if strings.HasSuffix(name, "."+args[1]+".pb.gz") {
			ts.Check(os.Rename(name, ts.MkAbs(args[2])))
			kept = true
		} else {
			ts.Check(os.Remove(name))
		}
	}
	if !kept || len(files) != 2 {
		ts.Fatalf("want two profiles, one of %s, got %q", args[1], files)
	}
}

// comment checks that the comment of a program's path profile matches a pattern,
// and removes its profiles.
//
//	comment prog pattern
func comment(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: comment prog pattern")
	}
	p := pathProfile(ts, args[0])
	if text := strings.Join(p.Comments, "\n"); !regexp.MustCompile(args[1]).MatchString(text) {
		ts.Fatalf("the comment %q does not match %q", text, args[1])
	}
}

// recovered has a program make profiles of the counts that it has left behind, and
// removes them.
//
//	recovered prog
func recovered(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("PEPDIR"), args[0]+".*"))
	ts.Check(err)
	if neg || len(files) != 1 || filepath.Ext(files[0]) != ".pep" {
		ts.Fatalf("want one file of counts, got %q", files)
	}
	cmd := exec.Command(ts.MkAbs(args[0]))
	cmd.Env = []string{"PEP_WRITE=" + files[0]}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		ts.Fatalf("%s%v", out, err)
	}
	profiled(ts, false, args)
}

// tabled checks that the site tables in the file of a program are of the given
// packages.
//
//	tabled prog package...
func tabled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: tabled prog package...")
	}
	f, err := executable.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	var paths []string
	for _, p := range f.Packages {
		paths = append(paths, p.Path)
	}
	if !slices.Equal(paths, args[1:]) {
		ts.Fatalf("there are site tables of %q", paths)
	}
}

var buildsCompiler = regexp.MustCompile(`(?m)^pepbuild: building a Go compiler .*\n`)

// alike builds a package that cannot be built by go and by pepbuild, and requires
// that they say the same on standard error, and end with the same exit code. The first build by pepbuild on a machine
// also says that it builds a compiler.
//
//	alike ./package
func alike(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: alike package")
	}
	var said [2]string
	for i, name := range []string{"go", "pepbuild"} {
		err := ts.Exec(name, "build", "-o", "none", args[0])
		text := buildsCompiler.ReplaceAllString(ts.ReadFile("stderr"), "")
		said[i] = fmt.Sprintf("%v\n%s", err, text)
	}
	if said[0] != said[1] || strings.HasPrefix(said[0], "<nil>") {
		ts.Fatalf("go build:\n%s\npepbuild build:\n%s", said[0], said[1])
	}
}

// dies starts a program, waits for the first byte that it prints, sends it a
// signal, and requires that it dies of it.
//
//	dies SIGTERM prog arg...
func dies(ts *testscript.TestScript, neg bool, args []string) {
	sigs := map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP,
		"SIGQUIT": syscall.SIGQUIT}
	if neg || len(args) < 2 || sigs[args[0]] == 0 {
		ts.Fatalf("usage: dies signal prog arg...")
	}
	cmd := exec.Command(ts.MkAbs(args[1]), args[2:]...)
	cmd.Env = append(os.Environ(), "PEPDIR="+ts.Getenv("PEPDIR"))
	// The program would inherit that this process ignores the signal, as below nohup.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sigs[args[0]])
	defer signal.Stop(caught)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	if _, err := out.Read(make([]byte, 1)); err != nil {
		cmd.Process.Kill()
		ts.Fatalf("reading from %s: %v", args[1], err)
	}
	ts.Check(cmd.Process.Signal(sigs[args[0]]))
	cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != sigs[args[0]] {
		ts.Fatalf("%s: %s, want death by %s", args[1], cmd.ProcessState, args[0])
	}
}
