package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/command/commandtest"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pepsim": main, "tracing": tracing})
}

// tracing stands in for a program that was built with pepbuild -peptaps. It prints PEPOPTS
// without the directory of the trace, and slowly copies the trace $TRACE to the file that
// PEPOPTS names. Then it exits with its first argument as exit code; if that is "forever",
// it runs until it is interrupted.
func tracing() {
	for s := range strings.SplitSeq(os.Getenv("PEPOPTS"), ",") {
		name, isTrace := strings.CutPrefix(s, "trace=")
		if !isTrace {
			fmt.Println(s)
			continue
		}
		fmt.Println("trace=" + filepath.Base(name))
		if from := os.Getenv("TRACE"); from != "" {
			if err := writeSlowly(name, from); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(99)
			}
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "forever" {
		time.Sleep(time.Hour)
	}
	if len(os.Args) > 1 {
		code, _ := strconv.Atoi(os.Args[1])
		os.Exit(code)
	}
}

// writeSlowly copies a file so slowly that a reader of the copy sees parts of it.
func writeSlowly(name, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, 1+len(data)/20) {
		time.Sleep(2 * time.Millisecond)
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	return f.Close()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return makeExample(env.WorkDir) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"foreign":  foreign,
			"patch":    patch,
			"truncate": truncate,
			"exitcode": commandtest.ExitCode,
		},
	})
}

// patch changes a byte of a file: patch file offset value. Offsets below 0 count
// from the end.
func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch file offset value")
	}
	data := []byte(ts.ReadFile(args[0]))
	off, err := strconv.Atoi(args[1])
	ts.Check(err)
	value, err := strconv.ParseUint(args[2], 0, 8)
	ts.Check(err)
	data[(off+len(data))%len(data)] = byte(value)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// foreign gives a trace the build of another program.
func foreign(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: foreign file")
	}
	h, rest, err := format.ReadHeader([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	h.Build = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(format.AppendHeader(nil, h), rest...), 0o644))
}

// truncate cuts so many bytes off the end of a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate file bytes")
	}
	data := ts.ReadFile(args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), int64(len(data)-n)))
}

// makeExample puts the example's traces into a directory: words.trace, of a text
// that is there as well, and app.trace, of a program that is made up.
func makeExample(dir string) error {
	text, err := os.ReadFile(filepath.Join("testdata", "example", "words.txt"))
	if err != nil {
		return err
	}
	sampler, err := os.ReadFile(filepath.Join("..", "..", "hwsim", "cop", "asm", "programs", "sampler.s"))
	if err != nil {
		return err
	}
	var words, app bytes.Buffer
	if err := trace.Parse(&words, bytes.NewReader(text)); err != nil {
		return err
	}
	if err := tracetest.Write(&app, 2_000_000); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "words.txt"), text, 0o644),
		os.WriteFile(filepath.Join(dir, "sampler.s"), sampler, 0o644),
		os.WriteFile(filepath.Join(dir, "words.trace"), words.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "app.trace"), app.Bytes(), 0o644),
	)
}
