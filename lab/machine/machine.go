// Package machine says on which machine, of which commit and by which command a page of results was made.
//
//	text := machine.Header("Accuracy", "pepbench", os.Args[1:], time.Now()) + tables
//
// begins such as
//
//	# Accuracy
//
//	2026-11-30, AMD EPYC, 2 cores, Linux 6.12.8, go1.26.0 linux amd64, commit 01b2f0af.
//
//	    go run -C lab ./cmd/pepbench accuracy -runs 3
package machine

// This file describes the machine on which a result was measured.

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Header returns the beginning of a file of results: title, date, machine class, commit, and the
// command line that makes the file again. The command is one of those in cmd.
func Header(title, command string, args []string, when time.Time) string {
	return fmt.Sprintf("# %s\n\n%s, %s, %s.\n\n    go run -C lab ./cmd/%s %s\n\n", title, when.Format(time.DateOnly),
		machine(), Commit(), command, quote(args))
}

// quote writes arguments so that a shell reads them back.
func quote(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t'\"$*?[#~{\\;&|<>()") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// Commit is the commit of the working directory, "-dirty" if files have changed since.
func Commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown commit"
	}
	return "commit " + strings.TrimSpace(string(out))
}

// machine is the class of this machine: processor, cores, kernel, Go. If the measurement may use
// only some of the cores (taskset), it says so.
func machine() string {
	goVersion := "go unknown"
	if out, err := exec.Command("go", "env", "GOVERSION", "GOOS", "GOARCH").Output(); err == nil {
		goVersion = strings.Join(strings.Fields(string(out)), " ")
	}
	return fmt.Sprintf("%s, %s, %s, %s", Processor(), cores(runtime.NumCPU(), online()), kernel(), goVersion)
}

// cores says how many of the machine's cores may be used; total is 0 if it is not known.
func cores(usable, total int) string {
	if usable < total {
		return fmt.Sprintf("%d of %d cores", usable, total)
	}
	return fmt.Sprintf("%d cores", usable)
}

// online counts the processors of the machine in /proc/cpuinfo.
func online() (n int) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if name, _, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "processor" {
			n++
		}
	}
	return n
}

func Processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown kernel"
	}
	return "Linux " + strings.TrimSpace(string(release))
}

// Load returns the load averages of the machine over 1, 5 and 15 minutes, in running threads.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], ", ")
}
