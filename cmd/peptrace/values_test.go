//go:build linux && amd64

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command/commandtest"
)

// startTable starts a program that takes known values out of a table for ever.
func startTable(t *testing.T) *exec.Cmd {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "table")
	if out, err := exec.Command("go", "build", "-o", exe,
		"../../tracer/internal/samplers/sampler/testdata/table").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, "forever")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// The JSON form has the known values of a running program, and its numbers add up. The
// rarest value is one in eight: with 100 of the thousands of samples it would be missing
// in one of 600,000 runs.
func TestValuesJSON(t *testing.T) {
	needRights(t)
	program := startTable(t)
	var stdout, stderr bytes.Buffer
	line := fmt.Sprintf("values -p %d -d 2s -hz 20000 -every 2 -n 0 -json", program.Process.Pid)
	if code := peptrace.Run(strings.Fields(line), nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var o commandtest.Object
	d := json.NewDecoder(&stdout)
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatal(err)
	}
	if o.Text("listing") != "values" {
		t.Errorf("listing %q", o.Text("listing"))
	}
	sampling := o.At("sampling")
	runs := sampling.Int("runs")
	if all := sampling.Int("kernel") + sampling.Int("passed") + sampling.Int("not_decoded") + runs; runs == 0 ||
		sampling.Int("passed") == 0 || all != sampling.Int("interrupts") {
		t.Errorf("the parts of %d interrupts are %d:\n%v", sampling.Int("interrupts"), all, sampling)
	}
	found, samples := map[string]bool{}, int64(0)
	for _, b := range o.At("list").All("binaries") {
		for _, f := range b.All("functions") {
			for _, in := range f.All("instructions") {
				for _, l := range in.All("lists") {
					if f.Text("function") == "main.pick" && strings.HasPrefix(in.Text("instruction"), "MOVQ 0(") {
						samples = l.Int("samples")
					}
					for _, v := range l.All("rows") {
						if f.Text("function") == "main.pick" {
							found[v.Text("value")] = true
						}
					}
				}
			}
		}
	}
	t.Logf("%d runs, %d samples", runs, samples)
	for _, want := range []string{"0xb", "0x16", "0x21", "0x2c"} { // 11, 22, 33, 44
		if !found[want] {
			t.Errorf("the value %s of main.pick is not there, only %v", want, found)
		}
	}
}

// Who types the examples of the help in their order, in an empty directory and for a process that
// there is, gets no error.
func TestHelp(t *testing.T) {
	needRights(t)
	pid := strconv.Itoa(startTable(t).Process.Pid)
	_, examples, _ := strings.Cut(usage, "\nExamples:\n")
	// as the command says: on a busy machine the program may not run for as long as it is sampled
	const few = "sample for longer"
	for range 20 {
		t.Chdir(t.TempDir())
		var problems []string
		for line := range strings.Lines(examples) {
			args := strings.Fields(strings.NewReplacer("4711", pid, "'", "").Replace(line))
			if len(args) == 0 {
				continue
			}
			var stdout, stderr bytes.Buffer
			if code := peptrace.Run(args[1:], strings.NewReader(""), &stdout, &stderr); code != 0 ||
				!strings.Contains(stdout.String(), "main.") {
				problems = append(problems, fmt.Sprintf("%s: exit code %d: %s%s, want functions of main", strings.TrimSpace(line),
					code, &stderr, &stdout))
			}
		}
		if len(problems) == 0 {
			return
		}
		for _, p := range problems {
			if t.Log(p); !strings.Contains(p, few) {
				t.FailNow()
			}
		}
	}
	t.Error("the program is sampled too seldom")
}

// A recording has the values that were sampled: the listing of a replay has the samples of the listing that was
// printed at once.
func TestRecording(t *testing.T) {
	needRights(t)
	program := startTable(t)
	file := filepath.Join(t.TempDir(), "app.recording")
	run := func(line string) (o commandtest.Object) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := peptrace.Run(strings.Fields(line), nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d: %s", line, code, &stderr)
		}
		d := json.NewDecoder(&stdout)
		d.UseNumber()
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	samples := func(o commandtest.Object) map[int64]int64 {
		sum := map[int64]int64{}
		for _, b := range o.All("binaries") {
			for _, f := range b.All("functions") {
				for _, in := range f.All("instructions") {
					for _, l := range in.All("lists") {
						sum[in.Int("address")] += l.Int("samples")
					}
				}
			}
		}
		return sum
	}
	live := samples(run(fmt.Sprintf("values -p %d -d 1s -hz 4000 -json -record %s", program.Process.Pid, file)).At("list"))
	replayed := samples(run("list -json " + file))
	all := int64(0)
	for pc, n := range live {
		all += n
		// The last run may come while the sampling ends.
		if m := replayed[pc]; m < n || m > n+10 {
			t.Errorf("%#x: %d samples in the recording, %d were printed", pc, m, n)
		}
	}
	if t.Logf("%d samples of %d instructions", all, len(live)); all < 100 {
		t.Errorf("%d samples", all)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the recording: %v, %v, want 0600", info, err)
	}
}
