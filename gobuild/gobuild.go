// Package gobuild runs the go command so that what it builds can be profiled.
//
//	pepbuild build -o prog ./cmd/prog
//
// becomes
//
//	go build -toolexec='pepbuild toolexec' -gcflags=./cmd/prog=-pep=windows=…
//		-gcflags=../../go/src/strings=-pep=branches=… … -o=prog ./cmd/prog
//
// with one tag for each package that is profiled. To the go command a tag is a flag
// of the compiler: it compiles a package again if its tag has changed, and takes
// packages without tags from its cache. The go command calls the program that calls Run
// for each of its tools, with the verb toolexec. The program passes that to Tool, which
// carries out the tags:
//
//	if len(os.Args) > 1 && os.Args[1] == "toolexec" {
//		code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
//		…
//	}
//	args, err := gobuild.Parse(os.Args[1:])
//	…
//	code, err := gobuild.Run(args, os.Stdin, os.Stdout, os.Stderr)
//
// This package is the door of all that is below its folder.
package gobuild

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
	"github.com/pepgo/pep/gobuild/internal/linked"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/internal/terminal"
)

type build struct {
	args    *Args
	given   *Args // GoFlags and Gcflags of GOFLAGS; the go command reads them itself
	goCmd   string
	env     map[string]string
	release release // that the go command is of
	deps    []*pkg

	selected []string             // the packages that are profiled
	tags     []string             // the flags of the go command that have them instrumented
	compiler *gocompiler.Compiler // for instrumented packages; nil for the installation's own
	guide    *profileGuide        // nil without -pepguide

	countsDir string // "" without -pepopt

	stderr    io.Writer
	progress  *progress                // nil if standard error is no terminal
	userFlags func(path string) string // the user's -gcflags for a package
}

// Tool runs the tool args[0] of the go command with the arguments args[1:], and returns its
// exit code. It instruments packages with a tag before it has them compiled, and links the
// runtime into programs. The go command calls it only through a command line of Run.
func Tool(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int, err error) {
	return toolexec.Run(args, stdin, stdout, stderr)
}

// RoomForTaps returns flags of the go command that build, as Run does for programs with taps, a package
// runtime with room for these. The go command calls exe for its tools, which is to call Tool as Run's does.
func RoomForTaps(exe string) ([]string, error) {
	self, err := quoted(exe)
	return []string{toolexecFlag(self), "-gcflags=runtime=" + toolexec.RoomForTaps()}, err
}

// toolexecFlag returns the flag that has the go command call an executable for its tools.
func toolexecFlag(quotedExe string) string { return "-toolexec=" + quotedExe + " toolexec" }

// cacheDir returns where the linked runtime and the compiler are kept.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory for the linked runtime: %w", err)
	}
	return filepath.Join(dir, "pepbuild"), nil
}

// Run carries out a command line and returns the exit code of the go command.
// With -C it changes the working directory of the process, as the go command
// does.
func Run(args *Args, stdin io.Reader, stdout, stderr io.Writer) (code int, err error) {
	newer := os.Getenv(envNewer) != ""
	os.Unsetenv(envNewer) // It is not for what the user's tests and programs build.
	called, err := os.Getwd()
	if err != nil {
		return 1, err
	}
	if args.Dir != "" {
		if err := os.Chdir(args.Dir); err != nil {
			return 2, fmt.Errorf("-C: %w", err)
		}
	}
	b := &build{args: args, goCmd: "go", stderr: stderr}
	started := time.Now()
	if terminal.Is(stderr) && os.Getenv(toolexec.EnvProgress) == "" {
		p, err := startProgress(stderr, builds(args.Verb))
		if err != nil {
			return 1, err
		}
		defer p.stop()
		b.progress, b.stderr = p, p
	}
	defer func() { err = errors.Join(err, b.guide.remove(), b.removeCounts()) }()
	if err := b.readEnv(); err != nil {
		return failed(err, b.stderr)
	}
	if b.release.newerThanSelf() {
		b.progress.stop()
		if newer {
			return 1, fmt.Errorf("the go command says that it is %s, and has built a pepbuild with %s: GOROOT or PATH mixes two releases", b.release.name, runtime.Version())
		}
		return b.runNewer(called, stdin, stdout, stderr)
	}
	if b.progress != nil {
		os.Setenv(toolexec.EnvProgress, b.progress.log) // for each go command
	}
	goArgs, linkedCfg, err := b.prepare()
	if err != nil {
		return failed(err, b.stderr)
	}
	cmd := exec.Command(b.goCmd, goArgs...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.Env = append(os.Environ(), toolexec.EnvLinked+"="+linkedCfg, toolexec.EnvC+"="+strings.Join(b.withC(), " "))
	cmd.Env = append(cmd.Env, b.compileEnv()...)
	cmd.Env = append(cmd.Env, b.guideEnv()...)
	cmd.Env = append(cmd.Env, toolexec.EnvCounts+"="+b.countsDir)
	if b.mains() == 1 && args.Taps.Selective() {
		cmd.Env = append(cmd.Env, toolexec.EnvSelection+"="+args.Taps.String())
	}
	if args.Verb == "test" {
		// Tests run in the directories of their packages.
		dir, err := filepath.Abs(os.Getenv("PEPDIR"))
		if err != nil {
			return 1, fmt.Errorf("the directory for profiles: %w", err)
		}
		cmd.Env = append(cmd.Env, "PEPDIR="+dir)
	}
	b.progress.building(len(b.selected))
	if b.progress != nil && builds(args.Verb) { // programs and tests that are run get standard error as it is
		cmd.Stderr = b.progress
	}
	err = cmd.Run()
	b.progress.stop()
	exit, exited := errors.AsType[*exec.ExitError](err)
	if err != nil && !exited {
		return 1, fmt.Errorf("running the go command: %w", err)
	}
	if exited {
		code = exit.ExitCode()
	}
	if args.Table != "" && code == 0 {
		if err := b.writeBranches(cmd.Env); err != nil {
			return 1, fmt.Errorf("-peptable: %w", err)
		}
	}
	dir := cmp.Or(os.Getenv("PEPDIR"), ".")
	files := written(dir, started)
	if args.Verb == "test" && args.Mode == rewrite.Cover && len(files) > 0 {
		if err := b.printCoverage(dir, files, cmd.Env, stderr); err != nil {
			return max(code, 1), fmt.Errorf("the totals of coverage: %w", err)
		}
	}
	b.sayWhere(stderr, dir, files)
	return code, nil
}

// builds reports whether a verb of the go command runs nothing of what it builds.
func builds(verb string) bool { return verb == "build" || verb == "install" }

// written returns the names of the profiles in a directory of programs that were started since a time.
func written(dir string, since time.Time) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		parts := strings.Split(strings.TrimSuffix(e.Name(), ".pb.gz"), ".")
		if n := len(parts) - 3; n > 0 && strings.HasSuffix(e.Name(), ".pb.gz") {
			if start, err := strconv.ParseInt(parts[n+1], 10, 64); err == nil && start >= since.UnixNano() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// sayWhere says where tests, and programs that could not say so, have written their profiles.
func (b *build) sayWhere(stderr io.Writer, dir string, names []string) {
	if builds(b.args.Verb) || b.args.Verb == "run" && terminal.Is(stderr) {
		return
	}
	var programs []string
	paths := false
	for _, name := range names {
		parts := strings.Split(name, ".")
		programs = append(programs, strings.Join(parts[:len(parts)-3], "."))
		paths = paths || isPaths(name)
	}
	slices.Sort(programs)
	programs = slices.Compact(programs)
	if len(programs) == 0 {
		return
	}
	verb := "values"
	if paths {
		verb = "top"
	}
	show := "pep " + verb + " shows the newest"
	if b.args.Mode == rewrite.Cover {
		show = "pep cover shows what they never decided"
	}
	if dir != "." {
		show = "PEPDIR=" + dir + " " + show
	}
	things := "run"
	if len(programs) > 1 {
		things += "s"
	}
	fmt.Fprintf(stderr, "pepbuild: profiles of %d %s are in %s: %s\n", len(programs), things, dir, show)
}

// failed returns the exit code for an error. What the go command itself has said is printed as it is.
func failed(err error, stderr io.Writer) (int, error) {
	if ge, ok := errors.AsType[*goError](err); ok {
		fmt.Fprintln(stderr, ge)
		return ge.code, nil
	}
	return 1, err
}

// prepare returns the arguments for the go command, and the file that names the
// linked runtime's archives.
func (b *build) prepare() (goArgs []string, linkedCfg string, err error) {
	if err := b.checkRelease(); err != nil {
		return nil, "", err
	}
	if b.args.Opt == "" {
		if err := b.checkProfileDir(); err != nil {
			return nil, "", err
		}
	}
	b.checkWindows()
	cache, err := cacheDir()
	if err != nil {
		return nil, "", err
	}
	paths, err := b.selectPackages()
	if len(b.args.Patterns) == 0 && !slices.ContainsFunc(b.deps, func(p *pkg) bool { return !p.DepOnly && p.Name != "" }) {
		fmt.Fprintln(b.stderr, "pepbuild: no package is named, and the go command finds none in the current directory: name one, or see pepbuild help")
	}
	if err != nil {
		return nil, "", err
	}
	b.selected = paths
	if b.args.Guide != "" {
		if b.guide, err = b.readGuide(paths); err != nil {
			return nil, "", err
		}
	}
	if err := b.checkMain(); err != nil {
		return nil, "", err
	}
	if b.userFlags, err = b.gcflagsOf(); err != nil {
		return nil, "", err
	}
	if w := b.args.Without; !rewrite.Without(w).Fits(b.args.Mode) || w != "" && b.args.Taps.Kinds != "" {
		return nil, "", usagef("-pepwithout=%s: registers and polls can be left out of sampled code, atomics of exact counts, and nothing of code with taps", w)
	}
	exe, key, err := self()
	if err != nil {
		return nil, "", err
	}
	if arch := b.env["GOARCH"]; b.args.Opt != "" && arch != "amd64" {
		return nil, "", usagef("-pepopt=%s: programs are laid out by profiles for amd64 only, and this build is for %s", b.args.Opt, arch)
	}
	if system := b.env["GOOS"] + "/" + b.env["GOARCH"]; b.args.Table != "" && system != "linux/amd64" {
		return nil, "", usagef("-peptable=%s: there are tables of branches for linux/amd64 only, and this build is for %s", b.args.Table, system)
	}
	if err := b.findCompiler(cache); err != nil {
		return nil, "", err
	}
	if b.args.Table != "" {
		goArgs, err = b.goArgs(exe, b.gcflags(paths, func(string) string { return toolexec.Branches(b.compiler.Key, key) }))
		return goArgs, "", err
	}
	if b.args.Opt != "" {
		tags, err := b.counts(paths)
		if err != nil {
			return nil, "", err
		}
		goArgs, err = b.goArgs(exe, b.gcflags(slices.Sorted(maps.Keys(tags)), func(path string) string { return tags[path] }))
		return goArgs, "", err
	}
	b.progress.building(len(b.selected)) // for windows, linkRuntime compiles std
	if linkedCfg, err = b.linkRuntime(cache, exe, key); err != nil {
		return nil, "", err
	}
	if b.args.Mode == rewrite.Windows {
		tags := b.windowsTags(key)
		goArgs, err = b.goArgs(exe, b.gcflags(slices.Sorted(maps.Keys(tags)), func(path string) string { return tags[path] }))
		return goArgs, linkedCfg, err
	}
	tag := toolexec.Tag{Mode: b.args.Mode, Without: rewrite.Without(b.args.Without), Truncate: b.args.Truncate, Order: b.args.Order, Tool: key, Taps: b.args.Taps, Bisect: b.args.Bisect, Compiler: b.compiler.Key}
	if b.args.Dump != "" {
		if tag.Dump, err = filepath.Abs(b.args.Dump); err != nil {
			return nil, "", err
		}
		// If the tag were the same as before, the go command would take the package
		// from its cache, and nothing would be dumped. So each build has a new tag.
		tag.Tool += fmt.Sprintf("-%d", time.Now().UnixNano())
	}
	flags, err := b.tagged(paths, tag)
	if err != nil {
		return nil, "", err
	}
	goArgs, err = b.goArgs(exe, flags)
	return goArgs, linkedCfg, err
}

// checkProfileDir returns an error if programs that the go command runs could not write their profiles.
// They say so themselves, but go test shows nothing of what passing tests of several packages print.
func (b *build) checkProfileDir() error {
	_, exec := last(b.flags(), "exec") // may run them on another machine
	if builds(b.args.Verb) || exec >= 0 || isOn(b.flags(), "c") || isOn(b.flags(), "n") {
		return nil
	}
	dir := os.Getenv("PEPDIR")
	f, err := os.CreateTemp(cmp.Or(dir, "."), "pepbuild-")
	if err != nil {
		where := "PEPDIR=" + dir
		if dir == "" {
			where = "PEPDIR is not set, so profiles go to the current directory"
		}
		return fmt.Errorf("no profile can be written (%s): %w; set PEPDIR to a directory that exists and can be written", where, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// goArgs returns the arguments of the go command that builds. Our flags stand behind
// those of the user, because the go command takes the last of several.
func (b *build) goArgs(exe string, gcflags []string) ([]string, error) {
	self, err := quoted(exe)
	if err != nil {
		return nil, err
	}
	args := append([]string{b.args.Verb}, b.args.GoFlags...)
	if _, i := last(b.flags(), "count"); b.args.Verb == "test" && i < 0 {
		// A result from the cache leaves no profile.
		args = append(args, "-count=1")
	}
	b.tags = append([]string{toolexecFlag(self)}, gcflags...)
	args = append(args, b.tags...)
	if b.args.Verb == "test" {
		args = append(args, b.args.Patterns...)
		if len(b.args.Rest) > 0 {
			args = append(append(args, "-args"), b.args.Rest...)
		}
		return args, nil
	}
	if len(b.args.Patterns) > 0 {
		args = append(append(args, "--"), b.args.Patterns...)
	}
	return append(args, b.args.Rest...), nil
}

// readEnv asks the go command for its settings, and checks that they suit.
func (b *build) readEnv() error {
	out, err := b.goOutput("env", "-json", "GOOS", "GOARCH", "GOROOT", "GOTOOLDIR", "GOVERSION", "GOAMD64", "GOEXPERIMENT", "GOFLAGS", "GOCACHE",
		"GOFIPS140", "CGO_ENABLED")
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("the go command is not in PATH: install Go (%s or later) or add its bin directory to PATH", known[0])
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), &b.env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	b.release = parseRelease(b.env["GOVERSION"])
	flags, err := parseGOFLAGS(b.args.Verb, b.env["GOFLAGS"])
	if err != nil {
		return err
	}
	b.given = &Args{}
	for _, f := range flags {
		if value, ok := strings.CutPrefix(f, "-gcflags="); ok {
			b.given.Gcflags = append(b.given.Gcflags, value)
		} else {
			b.given.GoFlags = append(b.given.GoFlags, f)
		}
	}
	// Parse has checked the flags of the command line by themselves.
	if i, err := refused(b.flags()); err != nil && i < len(b.given.GoFlags) {
		return usagef("GOFLAGS: %v", err)
	}
	return nil
}

// checkWindows chooses polls where there are no windows, and says so.
func (b *build) checkWindows() {
	if b.args.Mode != rewrite.Windows {
		return
	}
	why := ""
	for _, name := range []string{"race", "msan", "asan"} {
		if isOn(b.flags(), name) {
			why = "-" + name + " has code of its own at loads and stores, which windows do not interpret"
		}
	}
	if system := b.env["GOOS"] + "/" + b.env["GOARCH"]; system != "linux/amd64" {
		why = "there are windows for linux/amd64 only, and this build is for " + system
	}
	if why == "" {
		return
	}
	fmt.Fprintf(b.stderr, "pepbuild: building with -pepmode=polls: %s\n", why)
	args := *b.args
	args.Mode = rewrite.Polls
	b.args = &args
}

// flags returns the flags of GOFLAGS and, behind them, those of the command line,
// in the order in which the go command reads them.
func (b *build) flags() []string { return slices.Concat(b.given.GoFlags, b.args.GoFlags) }

// checkMain returns an error if the named packages are libraries only.
func (b *build) checkMain() error {
	if b.args.Verb == "test" || b.args.Mode == "" || b.mains() > 0 {
		return nil
	}
	for _, p := range b.deps {
		if !p.DepOnly && p.Error == nil {
			return usagef("package %s is not a main package, so there is no program to profile; name a main package, or use pepbuild test", p.ImportPath)
		}
	}
	return nil
}

// mains returns the number of programs that the user names, 0 for tests.
func (b *build) mains() (n int) {
	for _, p := range b.deps {
		if b.args.Verb != "test" && !p.DepOnly && p.Error == nil && p.Name == "main" {
			n++
		}
	}
	return n
}

// windowsTags returns the tags of packages, by import path, of programs with windows. Of packages that are not selected, those
// have one that the user names: they are main packages, or their external tests and the main packages of their tests have their flags.
func (b *build) windowsTags(key string) map[string]string {
	tags := map[string]string{}
	for _, path := range b.selected {
		tags[path] = toolexec.Branches(b.compiler.Key, key)
	}
	for _, p := range b.deps {
		switch path := p.path(); {
		case slices.Contains(b.selected, path):
			if p.Name == "main" {
				tags[path] = toolexec.MainWithTable(b.compiler.Key, key)
			}
		case slices.Contains(b.selected, path+"_test"): // a package without Go files but for its external tests
			tags[path] = toolexec.Branches(b.compiler.Key, key)
		case !p.DepOnly && !p.isTestMain():
			tags[path] = toolexec.WithoutTable(key)
		}
	}
	return tags
}

// compileEnv returns the environment variables that Tool needs to compile packages.
func (b *build) compileEnv() []string {
	return []string{toolexec.EnvRelease + "=" + b.release.lang, toolexec.EnvCompiler + "=" + b.compiler.Path}
}

// linkRuntime compiles the linked runtime, and returns the name of the file that names its archives. It is compiled against
// std as this build compiles it, so that no package of std is compiled twice.
func (b *build) linkRuntime(cache, exe, key string) (string, error) {
	cfg := &linked.Config{
		Go:       b.goCmd,
		Env:      b.env,
		Shared:   b.shared(),
		CacheDir: cache,
	}
	if b.args.Mode.Counts() {
		cfg.Tags = []string{"pepexact"}
	}
	if b.args.Mode == rewrite.Cover {
		cfg.Tags = append(cfg.Tags, "pepcover")
	}
	if b.args.Mode == rewrite.Windows {
		cfg.Tags = append(cfg.Tags, linked.TagWindows)
	}
	if b.args.Without != "" {
		cfg.Tags = append(cfg.Tags, "peppart")
	}
	if b.args.Taps.Kinds != "" {
		cfg.Tags = append(cfg.Tags, "peptaps")
	}
	if b.args.Taps.Goroutines() {
		cfg.Tags = append(cfg.Tags, "pepgoroutines")
	}
	if b.args.Taps.Burst {
		cfg.Tags = append(cfg.Tags, "pepbursts")
	}
	imports, err := cfg.Imports()
	if err != nil {
		return "", err
	}
	cfg.ListFlags = b.args.listFlags()
	if b.args.Taps.Kinds != "" || b.args.Mode == rewrite.Windows {
		self, err := quoted(exe)
		if err != nil {
			return "", err
		}
		cfg.ListFlags = append(cfg.ListFlags, toolexecFlag(self))
		cfg.ListEnv = b.compileEnv()
	}
	tag := func(string) string { return "" }
	if b.args.Mode == rewrite.Windows {
		tags := b.windowsTags(key)
		tag = func(path string) string { return tags[path] }
		for _, p := range b.deps { // what the imports of the linked runtime import
			if p.Standard && !slices.Contains(imports, p.path()) {
				imports = append(imports, p.path())
			}
		}
	}
	// -gcflags without a pattern hold for the packages that the user names. To go
	// list we name others, so each of those gets its flags by name.
	cfg.ListFlags = append(cfg.ListFlags, b.gcflags(imports, tag)...)
	for _, name := range []string{"json", "n"} { // go list takes them for something else
		if isOn(b.given.GoFlags, name) {
			cfg.ListFlags = append(cfg.ListFlags, "-"+name+"=false")
		}
	}
	return linked.Build(cfg)
}

// shared reports whether the go command compiles position-independent code.
func (b *build) shared() bool {
	mode, _ := last(b.flags(), "buildmode")
	switch goos := b.env["GOOS"]; mode {
	case "", "default":
		return slices.Contains([]string{"android", "darwin", "ios"}, goos)
	case "pie":
		return goos != "aix" && goos != "windows"
	}
	return false
}

// self returns the path of this executable and a hash of its content, which stands for the
// instrumenter in cache keys.
func self() (exe, key string, err error) {
	if exe, err = os.Executable(); err != nil {
		return "", "", err
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := buildID(f); id != "" {
		io.WriteString(h, id)
	} else if _, err := io.Copy(h, f); err != nil {
		return "", "", err
	}
	return exe, hex.EncodeToString(h.Sum(nil))[:16], nil
}

// buildID returns what the go command has written into an executable of ELF: a hash of what it was made of, and one of its content,
// between slashes. It is empty if the executable is another one, or was linked by something else than the go command.
func buildID(f io.ReaderAt) string {
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	note := program.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	data, err := note.Data()
	const header = 16 // sizes, type and name: Go
	if err != nil || len(data) < header {
		return ""
	}
	id := strings.TrimRight(string(data[header:]), "\x00")
	if parts := strings.Split(id, "/"); len(parts) != 4 || len(parts[3]) != 20 {
		return ""
	}
	return id
}
