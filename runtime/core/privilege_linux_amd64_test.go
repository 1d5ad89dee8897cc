package core

// This file tests programs that are confined, that have lost privileges, or that have more
// privileges than their user. It also tests what other users can do to them with files.

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

var (
	inNewRoot   = &syscall.SysProcAttr{Chroot: "/"}
	asOtherUser = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	inProcesses = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}                                   // of its own
	underMounts = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS} // of its own
)

// stem is the common beginning of the names of a run's files.
var stem = regexp.MustCompile(`^(\w+)\.(\d+)\.(\d+)\.(?:pep|\w+\.pb\.gz)$`)

// writtenOrSaid checks that there is a profile and nothing on stderr. Otherwise one line
// must say why there is none, and it must be possible to make a profile from the .pep
// file that the program left.
func writtenOrSaid(t *testing.T, name, exe string, r *run) {
	t.Helper()
	switch r.files(t) {
	case bothProfiles:
		if r.stderr.Len() > 0 {
			t.Errorf("%s: stderr %q", name, &r.stderr)
		}
	case "pep":
		if m := regexp.MustCompile(`(?m)^pep: .*; the counts (are|were) in .*$`).FindAllString(r.stderr.String(),
			-1); len(m) != 1 {
			t.Errorf("%s: stderr %q", name, &r.stderr)
		}
		files, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
		if out, err := writeCommand(exe, files[0]).CombinedOutput(); len(out) > 0 || err != nil ||
			r.files(t) != bothProfiles {
			t.Errorf("%s: PEP_WRITE: %s%v, files %s", name, out, err, r.files(t))
		}
	default:
		t.Errorf("%s: files %s, stderr %q", name, r.files(t), &r.stderr)
	}
}

// testConfined runs a program that gives up rights which it had at the start. It runs the
// program profiled and plain, to two kinds of ends. Status and output must be the same.
func testConfined(t *testing.T, profiled, plain string) {
	for _, how := range []string{"chroot", "user", "undumpable", "seccomp", "seccomp=kill", "landlock", "busy", "stack",
		"close"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			switch how {
			case "chroot":
				machinetest.NeedProcess(t, "in another root", inNewRoot)
			case "user":
				machinetest.NeedProcess(t, "as another user", asOtherUser)
			}
			if how == "landlock" {
				const createRuleset, version = 444, 1
				if _, _, e := syscall.RawSyscall(createRuleset, 0, 0, version); e != 0 {
					t.Skip("needs Landlock: ", e)
				}
			}
			arg := how
			if how == "chroot" {
				arg += "=" + t.TempDir()
			}
			for _, end := range []string{"exit", "panic"} {
				got, want := execute(t, profiled, []string{"GOTRACEBACK=none"}, end, arg),
					execute(t, plain, []string{"GOTRACEBACK=none"}, end, arg)
				said := got.stderr.String()
				got.stderr.Reset()
				for _, line := range strings.SplitAfter(said, "\n") {
					if !strings.HasPrefix(line, "pep: ") {
						got.stderr.WriteString(line)
					}
				}
				compare(t, end, got, want)
				got.stderr.Reset()
				got.stderr.WriteString(strings.ReplaceAll(said, want.stderr.String(), ""))
				writtenOrSaid(t, end, profiled, got)
				if f := got.files(t); how != "close" && f != bothProfiles { // the companion has what the program has given up
					t.Errorf("%s: files %s", end, f)
				}
			}
		})
	}
	t.Run("in a removed directory", func(t *testing.T) {
		t.Parallel()
		for _, end := range []string{"exit", "panic"} {
			cmd, r := command(t, profiled, []string{"GOTRACEBACK=none"}, end)
			cmd.Args = append(cmd.Args, "remove="+r.dir)
			_ = cmd.Run() // the code says how it ended
			if !regexp.MustCompile(`(?m)^pep: [^\n]*; the counts (were|are) in [^\n]*$`).MatchString(r.stderr.String()) ||
				strings.Count(r.stderr.String(), "pep: ") != 1 {
				t.Errorf("%s: stderr %q", end, &r.stderr)
			}
			if code := cmd.ProcessState.ExitCode(); code != map[string]int{"exit": 3, "panic": 2}[end] {
				t.Errorf("%s: exit code %d", end, code)
			}
		}
	})
	t.Run("without a current directory", func(t *testing.T) {
		t.Parallel()
		cmd := exec.Command("sh", "-c", `mkdir "$0/gone"; cd "$0/gone"; rmdir "$0/gone"; PEPDIR= exec "$1" exit`, t.TempDir(),
			profiled)
		out, _ := cmd.CombinedOutput()
		if want := `pep: the current directory: no such file or directory (PEPDIR="" says where); running without a profile` +
			"\n"; string(out) != want || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%s, %s", cmd.ProcessState, out)
		}
	})
	t.Run("without /proc", func(t *testing.T) {
		t.Parallel()
		machinetest.NeedProcess(t, "in a mount namespace", underMounts)
		for _, end := range []string{"exit", "panic"} {
			r := &run{dir: t.TempDir()}
			cmd := exec.Command("sh", "-c", `mount -t tmpfs none /proc && exec "$0" "$@"`, profiled, end)
			cmd.Env = append(os.Environ(), "PEPDIR="+r.dir, "GOTRACEBACK=none")
			cmd.SysProcAttr = underMounts
			cmd.Stderr = &r.stderr
			_ = cmd.Run() // the code says how it ended
			if code := cmd.ProcessState.ExitCode(); code != map[string]int{"exit": 3, "panic": 2}[end] {
				t.Fatalf("%s: %s, stderr %s", end, cmd.ProcessState, &r.stderr)
			}
			// The writer cannot find out whether the program still runs, so it keeps the file.
			files, _ := filepath.Glob(filepath.Join(r.dir, filepath.Base(profiled)+".*.*.pep"))
			if r.files(t) != bothProfiles && len(files) != 1 || strings.Count(r.stderr.String(), "pep: ") > 1 {
				t.Errorf("%s: files %s, stderr %s", end, r.files(t), &r.stderr)
			}
		}
	})
}

// testNames runs programs that all have process number 1.
func testNames(t *testing.T, exe string) {
	t.Parallel()
	machinetest.NeedProcess(t, "in a PID namespace", inProcesses)
	dir := t.TempDir()
	for range 5 {
		cmd := exec.Command(exe, "exit")
		cmd.Env = append(os.Environ(), "PEPDIR="+dir)
		cmd.SysProcAttr = inProcesses
		_ = cmd.Run() // exits with status 3
	}
	runs := map[string]int{}
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		m := stem.FindStringSubmatch(e.Name())
		if m == nil || m[1] != filepath.Base(exe) || m[2] != "1" {
			t.Fatalf("file %s", e.Name())
		}
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
		runs[m[3]]++
	}
	if len(runs) != 5 {
		t.Errorf("profiles of %d runs: %v", len(runs), list)
	}
}

// testSnapshot makes profiles of the counts of a running program.
func testSnapshot(t *testing.T, exe string) {
	t.Parallel()
	cmd, r := command(t, exe, nil, "wait")
	startReady(t, cmd)
	files, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
	for range 2 {
		text, err := writeCommand(exe, files[0]).CombinedOutput()
		want := fmt.Sprintf("pep: %s (process %d) still runs: the profiles are of its counts so far, and %s stays\n", exe,
			cmd.Process.Pid, files[0])
		if string(text) != want || err != nil {
			t.Errorf("%s%v, want %s", text, err, want)
		}
		if got := r.files(t); got != bothProfiles+" pep" {
			t.Errorf("files %s", got)
		}
	}
	first := r.profile(t, "paths")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for {
		p, ok := sys.ProcessAt(fmt.Sprint(cmd.Process.Pid))
		if !ok {
			t.Fatal("a child that was not waited for is gone")
		}
		if p.Dead {
			break
		}
	}
	if text, err := writeCommand(exe, files[0]).CombinedOutput(); len(text) > 0 || err != nil {
		t.Errorf("of a zombie: %s%v", text, err)
	}
	_ = cmd.Wait() // it was killed
	if got := r.files(t); got != bothProfiles {
		t.Errorf("files %s", got)
	}
	last := r.profile(t, "paths")
	if d := cmp.Diff(byLabel(first, "branches"), byLabel(last, "branches")); d != "" || len(first.Sample) == 0 {
		t.Errorf("samples (-then +now):\n%s", d)
	}
	if first.DurationNanos == 0 || last.DurationNanos != 0 {
		t.Errorf("durations %d and %d", first.DurationNanos, last.DurationNanos)
	}
}

// A writer that cannot find out whether a program still runs keeps the program's file.
func testUnknown(t *testing.T, exe string) {
	t.Parallel()
	machinetest.NeedProcess(t, "in a PID namespace", inProcesses)
	r := signalled(t, exe, "wait", syscall.SIGKILL)
	files, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
	cmd := writeCommand(exe, files[0])
	cmd.SysProcAttr = inProcesses
	out, err := cmd.CombinedOutput()
	want := regexp.MustCompile(`^pep: cannot tell from here whether \S+ \(process \d+\) still runs: the profiles are written, and \S+ stays\n$`)
	if !want.Match(out) || err != nil || r.files(t) != bothProfiles+" pep" {
		t.Errorf("%s%v, files %s", out, err, r.files(t))
	}
}

// testBadFiles sets PEP_WRITE to files that are no .pep files, and to those of other users.
func testBadFiles(t *testing.T, exe string) {
	t.Run("of a process that cannot be seen", func(t *testing.T) { testUnknown(t, exe) })
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	page := strings.Repeat("\000", 1<<13)
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file("target", page), link); err != nil {
		t.Fatal(err)
	}
	of := map[string]string{
		fifo:                          "it is a FIFO, not a .pep file",
		dir:                           "it is a directory, not a .pep file",
		"/dev/zero":                   "it is a device, not a .pep file",
		link:                          "it is a symbolic link: give the name of the file itself",
		dir + "/none":                 "no such file or directory",
		file("empty", ""):             "not a .pep file",
		file("zero", page):            "not a .pep file yet: its program has not finished the header, or died before it did",
		file("text", "pepdatax"+page): "not a .pep file",
		file("short", "pepdata\n"+string(rune(pepfile.Version))+
			"\000\000\000\000\000\000\000\000\000\000\000\000\200\000\000"+page): "damaged: the checksum of its header is wrong",
		file("version", "pepdata\n\377\000\000\000"+
			page): fmt.Sprintf("of version 255, and this program reads %d: run the program that wrote it", pepfile.Version),
	}
	if name := file("foreign", page); os.Chown(name, 65534, -1) == nil {
		of[name] = fmt.Sprintf("it belongs to user 65534, and this is user %d: only the user that it belongs to can make profiles of it", os.Geteuid())
	} else {
		t.Log("without a file of another user, which only some users may make")
	}
	for name, problem := range of {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it would block for ever
		cmd := exec.CommandContext(ctx, exe, "exit")
		cmd.Env = []string{"PEP_WRITE=" + name}
		out, _ := cmd.CombinedOutput()
		if want := fmt.Sprintf("pep: PEP_WRITE=%q: %s\n", name, problem); string(out) != want ||
			cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s, %swant %s", cmd.ProcessState, out, want)
		}
		cancel()
	}
}

// writerArg is the first argument of a writer: see package write.
const writerArg = "pep writes the profile of"

// testWriters checks that a writer writes and does not run the program once more, whatever
// is in the environment.
func testWriters(t *testing.T, profiled, plain string) {
	t.Parallel()
	for _, env := range [][]string{
		{"PEP_WRITE="},
		{"GODEBUG=inittrace=1"},
	} {
		env = append(env, "GOTRACEBACK=none")
		got, want := execute(t, profiled, env, "panic"), execute(t, plain, env, "panic")
		if env[0] == "PEP_WRITE=" {
			compare(t, fmt.Sprint(env), got, want)
		}
		if got.files(t) != bothProfiles {
			t.Errorf("%q: files %s, stderr %s", env, got.files(t), &got.stderr)
		}
	}
	// A process that is started as a writer is a writer, even if its environment is wrong.
	for _, args := range [][]string{{writerArg}, {writerArg, "/dev/null"}, {writerArg, "exit", "exit"}} {
		cmd := exec.Command(profiled)
		cmd.Args = args
		if out, _ := cmd.CombinedOutput(); len(out) > 0 || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%q: %s, %s", args, cmd.ProcessState, out)
		}
	}
	// The .pep file has no name of a program, so the profile has the name of this program.
	r := &run{dir: t.TempDir()}
	cmd := exec.Command(profiled)
	cmd.Args = []string{"/a/b/other name", "exit"}
	cmd.Env = append(os.Environ(), "PEPDIR="+r.dir)
	_ = cmd.Run() // exits with status 3
	if r.files(t) != bothProfiles {
		t.Errorf("files %s", r.files(t))
	}
}

// asNobody copies a program to a directory where everybody can run it, and returns a
// command that runs it as nobody.
func asNobody(t *testing.T, exe string, mode os.FileMode, env ...string) (cmd *exec.Cmd, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "pep-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, filepath.Base(exe))
	// A test beside this one may start a process meanwhile, which has the copy open for writing until it executes its own
	// program. The copy could not be executed until then (ETXTBSY).
	syscall.ForkLock.RLock()
	err = os.WriteFile(name, data, 0o755)
	syscall.ForkLock.RUnlock()
	for _, err := range []error{
		err,
		os.Chmod(dir, 0o777),
		os.Chmod(name, mode),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if mode&os.ModeSetuid != 0 && fs.Flags&syscall.MS_NOSUID != 0 {
		t.Skip(dir + " is on a file system without setuid programs")
	}
	cmd = exec.Command(name)
	cmd.Env = append(append(os.Environ(), "PEPDIR="+dir), env...)
	cmd.Dir = dir
	cmd.SysProcAttr = asOtherUser
	return cmd, dir
}

const privilegedLine = "pep: PEPDIR, PEPOPTS and PEP_WRITE are ignored, since the program has privileges that its user does not have; running without a profile\n"

// testPrivileged runs a setuid program as nobody.
func testPrivileged(t *testing.T, profiled string) {
	t.Parallel()
	machinetest.NeedProcess(t, "as another user", asOtherUser)
	for _, env := range []string{"PEPOPTS=tick=1ms", "PEPOPTS=nonsense", "PEP_WRITE=" + profiled} {
		cmd, dir := asNobody(t, profiled, 0o755|os.ModeSetuid, env)
		cmd.Args = append(cmd.Args, "exit")
		out, err := cmd.CombinedOutput() // exits with status 3
		if string(out) != privilegedLine || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%s: %v, %s", env, err, out)
		}
		if list, _ := filepath.Glob(filepath.Join(dir, "*")); len(list) != 1 {
			t.Errorf("%s: files %s", env, list)
		}
	}
	cmd, _ := asNobody(t, profiled, 0o755|os.ModeSetuid)
	cmd.Args = []string{writerArg, "/etc/shadow"}
	if out, _ := cmd.CombinedOutput(); len(out) > 0 || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("as a writer: %s, %s", cmd.ProcessState, out)
	}
	// The same program without privileges is profiled.
	cmd, dir := asNobody(t, profiled, 0o755)
	cmd.Args = append(cmd.Args, "exit")
	if out, _ := cmd.CombinedOutput(); len(out) > 0 || (&run{dir: dir}).files(t) == "" {
		t.Errorf("unprivileged: %s, %s", cmd.ProcessState, out)
	}
}

// testCrowded has a program exit on one P while 40 other goroutines want to run, with site tables that take as long to
// read as several turns of a goroutine. When main has returned, the others must not run any more. If they did, each
// would have several more turns.
func testCrowded(t *testing.T, exe string) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "rounds")
	var last string
	// The kernel may keep main waiting so long that Go gives its P away before main returns: then the others have another
	// turn.
	for range 5 {
		if err := os.WriteFile(file, make([]byte, 8), 0o666); err != nil {
			t.Fatal(err)
		}
		r := execute(t, exe, []string{"GOMAXPROCS=1", "PEPOPTS=tick=100ms"}, "exit", "busy="+file, "stamp")
		before, err := strconv.ParseUint(strings.TrimSpace(r.stderr.String()), 10, 64)
		if r.state != "exit status 3" || r.files(t) != bothProfiles || err != nil {
			t.Fatalf("%s, files %s, stderr %s", r.state, r.files(t), &r.stderr)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		after := binary.NativeEndian.Uint64(data) - before
		if last = fmt.Sprintf("%d rounds in a turn of all goroutines, and %d when main has returned", before,
			after); after < before {
			t.Log(last)
			return
		}
	}
	t.Error(last)
}

// slowTables are site tables that take some 100 ms to read.
func slowTables() []*wire.Package {
	tables := loopTables()
	for i := range 40_000 {
		p := *tables[0]
		p.Path = fmt.Sprint("p", i)
		tables = append(tables, &p)
	}
	return tables
}
