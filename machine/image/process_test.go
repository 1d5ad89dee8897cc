//go:build linux && amd64

package image

import (
	"bufio"
	"debug/elf"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/machine/image/imagetest"
)

// start starts target, and returns its PID and its output. Target waits for input.
func start(t *testing.T, exe string) (pid int, out *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(exe)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid, bufio.NewReader(r)
}

// wait waits until target, in whose output r is, has begun.
func wait(t *testing.T, r *bufio.Reader) {
	t.Helper()
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

// The addresses in a process are those that the process itself has, for every way to
// build it, also if the file is gone or is another one.
func TestOpenProcess(t *testing.T) {
	for i, v := range imagetest.Variants {
		t.Run(v.Name, func(t *testing.T) {
			exe := v.Build(t, "testdata/target")
			pid, out := start(t, exe)
			wait(t, out)
			switch i % 3 {
			case 1: // replaced
				if err := os.Rename(exe, exe+".old"); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(exe, []byte("another file"), 0o777); err != nil {
					t.Fatal(err)
				}
			case 2:
				if err := os.Remove(exe); err != nil {
					t.Fatal(err)
				}
			}
			im, err := OpenProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			// The kernel tells the address at which a position-independent executable has its
			// entry (AT_ENTRY of the auxiliary vector).
			auxv, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/auxv")
			if err != nil {
				t.Fatal(err)
			}
			const atEntry = 9
			var entry uint64
			for ; len(auxv) >= 16; auxv = auxv[16:] {
				if auxv[0] == atEntry && auxv[1] == 0 {
					for i := range 8 {
						entry |= uint64(auxv[8+i]) << (8 * i)
					}
				}
			}
			if got := im.ToProcess(im.elf.Entry); got != entry {
				t.Errorf("the entry is at %#x, the kernel says %#x", got, entry)
			}
			if v.PIE == (im.Bias == 0) {
				t.Errorf("PIE %v: bias %#x", v.PIE, im.Bias)
			}
			if !im.Process.Alive() {
				t.Error("the process is said to have ended")
			}
			if m, ok := im.Process.Mapping(entry); !v.C && (!ok || !m.Main) {
				t.Errorf("mapping of the entry: %+v", m)
			}
			// Code in memory is that of the file.
			main := im.Named("main.main")[0]
			want, err := im.Code(main)
			if err != nil {
				t.Fatal(err)
			}
			mem, err := os.Open("/proc/" + strconv.Itoa(pid) + "/mem")
			if err != nil {
				t.Fatal(err)
			}
			defer mem.Close()
			got := make([]byte, len(want))
			if _, err := mem.ReadAt(got, int64(im.ToProcess(main.Entry))); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("code of main.main (-file +memory):\n%s", d)
			}
		})
	}
}

// Relocated words are those of the process, apart from the bias.
func TestWordsAreThoseOfTheProcess(t *testing.T) {
	exe := imagetest.Variants[3].Build(t, "testdata/target")
	pid, out := start(t, exe)
	wait(t, out)
	im, err := OpenProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	mem, err := os.Open("/proc/" + strconv.Itoa(pid) + "/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	n := 0
	for _, r := range im.relocated() {
		text, end := im.Text()
		if r.value < text || r.value >= end || !strings.HasPrefix(im.Section(r.at), ".data.rel.ro") {
			continue // variables may have changed
		}
		words, err := im.Words(r.at, 1)
		if err != nil {
			t.Fatal(err)
		}
		var b [8]byte
		if _, err := mem.ReadAt(b[:], int64(im.ToProcess(r.at))); err != nil {
			t.Fatal(err)
		}
		var got uint64
		for i := range b {
			got |= uint64(b[i]) << (8 * i)
		}
		if im.FromProcess(got) != words[0] {
			t.Errorf("word at %#x: %#x, in the process %#x", r.at, words[0], got)
		}
		if n++; n == 1000 {
			break
		}
	}
	if n < 100 {
		t.Errorf("%d words compared, want 100", n)
	}
}

func TestOpenProcessThatEnded(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenProcess(cmd.Process.Pid); err == nil || !strings.Contains(err.Error(), "there is no process") {
		t.Errorf("a process that ended: %v", err)
	}
	exe := imagetest.Variants[1].Build(t, "testdata/target")
	pid, out := start(t, exe)
	wait(t, out)
	im, err := OpenProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	im.Process.StartTime++ // as if another process had the PID now
	if im.Process.Alive() {
		t.Error("another process with the same PID is taken for the first")
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	im.Process.StartTime--
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	if im.Process.Alive() {
		t.Error("a killed process is alive")
	}
}

// The bias follows from any mapping of the file, and segments need not begin at the border
// of a page.
func TestBias(t *testing.T) {
	im := &Image{PIE: true, elf: &elf.File{Progs: []*elf.Prog{
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Vaddr: 0, Off: 0, Filesz: 0x1500}},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_NOTE, Vaddr: 0x2000, Off: 0x2000, Filesz: 0x10}},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Vaddr: 0x4d80, Off: 0x2d80, Filesz: 0x3000}},
	}}}
	const bias = 0x55d0c0400000
	for _, m := range []struct{ start, offset uint64 }{{bias, 0}, {bias + 0x1000, 0x1000}, {bias + 0x4000, 0x2000},
		{bias + 0x5000, 0x3000}} {
		im.Bias = 0
		if ok, err := im.setBias(m.start, m.offset); !ok || err != nil || im.Bias != bias {
			t.Errorf("mapping %+v: bias %#x, %v, %v", m, im.Bias, ok, err)
		}
	}
	if ok, err := im.setBias(bias, 0x9000); ok || err != nil {
		t.Errorf("a mapping of no segment: %v, %v", ok, err)
	}
	im.PIE = false
	if _, err := im.setBias(bias, 0); err == nil {
		t.Error("no error for an executable of fixed address at another one")
	}
}

func TestParseMaps(t *testing.T) {
	const text = `55d0c0400000-55d0c0613000 r-xp 00001000 103:02 525061                     /tmp/a program (deleted)
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
7ffd1d5f2000-7ffd1d5f4000 r-xp 00000000 00:00 0                          [vdso]
`
	list, err := parseMaps(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Mapping{
		{0x55d0c0400000, 0x55d0c0613000, 0x1000, "/tmp/a program (deleted)", false, true, 0x10302, 525061},
		{Start: 0x7f0000000000, End: 0x7f0000021000},
		{Start: 0x7ffd1d5f2000, End: 0x7ffd1d5f4000, Path: "[vdso]", Exec: true},
	}
	if d := cmp.Diff(want, list); d != "" {
		t.Error(d)
	}
	if _, err := parseMaps(strings.NewReader("nonsense\n")); err == nil {
		t.Error("no error for nonsense")
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                            "main",
		"gopkg.in/yaml%2ev3.Marshal":           "gopkg.in/yaml.v3",
		"net/http.(*Client).Do":                "net/http",
		"a.b/c.Map[go.shape.struct { d/e.F }]": "a.b/c",
		"type:.eq.main.T":                      "",
		"go:buildid":                           "",
		"_cgo_init":                            "",
		"example.com/x%":                       "",
	} {
		if got := PackageOf(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
