package core

// This file tests programs whose .pep file loses its room: the disk is full when the
// program first writes to a page of the file, or somebody truncates the file.

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/runtime/pepfile"
)

// pausing starts exe and calls do before exe counts anything. Then exe runs to its end.
func pausing(t *testing.T, exe, dir string, env []string, ready func()) *run {
	t.Helper()
	return pausingAt(t, exe, dir, env, ready, "pause")
}

// pausingAt does something when exe, run with some arguments, says that it is
// ready.
func pausingAt(t *testing.T, exe, dir string, env []string, ready func(), args ...string) *run {
	t.Helper()
	cmd, r := command(t, exe, append(env, "PEPDIR="+dir), args...)
	r.dir = dir
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err, &r.stderr)
	}
	ready()
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	r.stdout.Write(rest)
	_ = cmd.Wait() // the state says how it ended
	r.state = cmd.ProcessState.String()
	return r
}

// A detachable is a program whose file loses its room.
type detachable struct {
	name, exe string
	env       []string
	program   string // "loop" or "taps"
}

func detachables(t *testing.T) (list []detachable) {
	for tags, polls := range map[string][]string{"": nil, ",pepexact": exactPolls, ",pepwindows": nil} {
		l := newLinker(t, tags, target{})
		list = append(list, detachable{"paths" + tags, l.program("loop.go", loopTables(), polls...),
			[]string{"PEPOPTS=tick=1ms"}, "loop"})
		if tags == ",pepwindows" {
			continue
		}
		taps := l.program("taps.go", tapTables())
		for _, opts := range []string{"taps=full", "engine=H[P16]64", "deliver=service"} {
			list = append(list, detachable{"taps" + tags + " " + opts, taps, []string{"PEPOPTS=" + opts}, "taps"})
			if tags != "" {
				break
			}
		}
	}
	return list
}

// unharmed checks that a program ended as a plain one does, and that it printed at most one
// line about its profile.
func unharmed(t *testing.T, name string, r *run) {
	t.Helper()
	if r.state != "exit status 0" || r.stdout.String() != "done\n" {
		t.Errorf("%s: %s, stdout %q", name, r.state, &r.stdout)
	}
	if lines := strings.Count(r.stderr.String(), "\n"); lines > 1 || lines == 1 &&
		!strings.HasPrefix(r.stderr.String(), "pep: ") {
		t.Errorf("%s: stderr %s", name, &r.stderr)
	}
}

// A program whose file is truncated runs on as a plain one.
func TestFilesThatAreCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 15 s")
	}
	t.Parallel()
	for _, p := range detachables(t) {
		for _, part := range []int64{0, 2, 100} { // nothing is left, a half, the header
			dir := t.TempDir()
			r := pausing(t, p.exe, dir, p.env, func() {
				files, _ := filepath.Glob(filepath.Join(dir, "*.pep"))
				if len(files) != 1 {
					t.Fatalf("%s: files %q", p.name, files)
				}
				info, err := os.Stat(files[0])
				if err != nil {
					t.Fatal(err)
				}
				size := int64(0)
				if part > 0 {
					size = max(info.Size()/part, pepfile.PageSize)
				}
				if err := os.Truncate(files[0], size); err != nil {
					t.Fatal(err)
				}
			})
			unharmed(t, p.name, r)
			if !strings.Contains(r.stderr.String(), "pep: reading the counts: ") {
				t.Errorf("%s: cut off, and it says %q", p.name, &r.stderr)
			}
		}
	}
}

// If the disk is full, counting stops. If there is room for the profile, it says so.
func TestFullDisks(t *testing.T) {
	t.Parallel()
	for _, p := range detachables(t) {
		disk := t.TempDir()
		if err := syscall.Mount("pep", disk, "tmpfs", 0, "size=16m"); err != nil {
			t.Skip("needs to mount a file system: ", err)
		}
		filler := filepath.Join(disk, "filler")
		r := pausing(t, p.exe, disk, p.env, func() { fill(t, filler) })
		unharmed(t, p.name, r)
		full := p.program == "taps" || strings.Contains(p.name, "exact")
		if full && !strings.Contains(r.stderr.String(), "no space left on device; the counts are in ") {
			t.Errorf("%s: %s", p.name, &r.stderr)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		// When the disk has room again, the file works as before.
		if files, _ := filepath.Glob(filepath.Join(disk, "*.pep")); len(files) == 1 {
			if out, err := writeCommand(p.exe, files[0]).CombinedOutput(); len(out) > 0 || err != nil {
				t.Errorf("%s: %s%v", p.name, out, err)
			}
			kind := "paths"
			if p.program == "taps" {
				kind = "values"
			}
			f := pepbuildtest.Facts(t, r.profile(t, kind))
			if (f.Number(facts.Detached) > 0) != full {
				t.Errorf("%s: %s", p.name, f.Encode())
			}
		} else if full {
			t.Errorf("%s: files %s", p.name, r.files(t))
		}
		err := syscall.Unmount(disk, 0)
		// the companion, which has the file mapped, ends behind the program
		for tries := 0; err == syscall.EBUSY && tries < 100; tries++ {
			time.Sleep(50 * time.Millisecond)
			err = syscall.Unmount(disk, 0)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// A program that can no longer open its .pep file makes its profiles from the memory where
// the file is mapped. If the file loses its room meanwhile, the program says so, because
// the profiles look complete.
func TestFullDisksWhileProfilesAreWritten(t *testing.T) {
	machinetest.NeedProcess(t, "in another root", inNewRoot)
	t.Parallel()
	tables := append(loopTables(), &wire.Package{Path: "other", Files: []string{"/src/other.go"}, Funcs: []wire.Func{{
		Name: "other.f", Line: 1,
		Graph:  pdag.Graph{Nodes: []pdag.Node{manyEdges(10_000)}, Starts: []pdag.Start{{}}, N: 10_000},
		Blocks: []wire.Block{{Outs: make([]wire.Out, 10_000)}},
	}}})
	exe := newLinker(t, ",pepexact", target{}).program("loop.go", tables, exactPolls...)
	disk, root := t.TempDir(), t.TempDir()
	if err := syscall.Mount("pep", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("needs to mount a file system: ", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	}()
	// In the program's new root the same name is another directory.
	if err := os.MkdirAll(filepath.Join(root, disk), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		r := pausingAt(t, exe, disk, []string{"PEPOPTS=taps=off"}, func() {
			if full {
				fill(t, filepath.Join(disk, "filler"))
			}
		}, "exit", "chroot="+root, "pause")
		want := ""
		if full {
			want = `pep: the profiles lack counts, since the disk was full or the file was cut off while they were written; the counts were in \S+\.pep, which is gone, or outside of the root that the process has now\n`
		}
		if r.state != "exit status 3" || !regexp.MustCompile("^"+want+"$").MatchString(r.stderr.String()) {
			t.Errorf("full %t: %s, stderr %q, want %q", full, r.state, &r.stderr, want)
		}
		if files, _ := filepath.Glob(filepath.Join(root, disk, "*.paths.pb.gz")); len(files) == 0 {
			t.Errorf("full %t: no profile", full)
		}
	}
}

// manyEdges returns a node with the given number of edges to the exit.
func manyEdges(n int) (node pdag.Node) {
	for i := range n {
		node.Out = append(node.Out, pdag.Edge{To: pdag.Exit, Val: uint64(i)})
	}
	return node
}

// fill uses up all room on the disk.
func fill(t *testing.T, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// A program whose address space has no room for its .pep file says so in one line
// and goes on.
func TestAddressSpaceWithoutRoom(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	cmd, _ := command(t, exe, nil, "pause")
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, readErr := bufio.NewReader(out).ReadString('\n')
	status, statusErr := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status")
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it is killed
	m := regexp.MustCompile(`VmSize:\s*(\d+) kB`).FindSubmatch(status)
	if readErr != nil || statusErr != nil || m == nil {
		t.Fatal(readErr, statusErr, string(status))
	}
	kB, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	// What the Go runtime needs differs from run to run, and so may what it had when its size was read. So
	// the program gets more and more room. There must be a size at which only the .pep file has no room.
	const chunks = pepfile.MaxChunks * pepfile.ChunkSize / 1024
	want := regexp.MustCompile(`^pep: making room in \S+\.pep: mapping \d+ bytes: cannot allocate memory \(ulimit -v\?\) \(PEPDIR=.* says where\); running without a profile\n$`)
	for missing := chunks / 2; missing > -chunks; missing -= chunks / 16 {
		r := execute(t, "/bin/sh", nil, "-c", `ulimit -v "$0"; exec "$1" count`, strconv.Itoa(kB-missing), exe)
		if !strings.Contains(r.stderr.String(), "making room") {
			continue // it is too little for the Go runtime, or there is room for the file
		}
		if r.state != "exit status 0" || r.stdout.String() != "done\n" || !want.MatchString(r.stderr.String()) {
			t.Errorf("%d kB less than it had: %s, stdout %q, stderr %q, want %q", missing, r.state, &r.stdout, &r.stderr, want)
		}
		if files := r.files(t); files != "" {
			t.Errorf("%d kB less than it had: files %s", missing, files)
		}
		return
	}
	t.Error("the program never had too little room for its file alone")
}
