// Package record runs programs that were built with pepbuild -peptaps so that
// they write a trace.
//
//	c := record.Command{Args: []string{"./app", "-v"}, Stdout: os.Stdout, Stderr: os.Stderr}
//	err := c.Run("app.trace", 4_000_000, 16_000_000)
//
// docs/reference/pepbuild.md explains PEPOPTS, the environment variable by which Run tells the
// program to write a trace.
package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/hwsim/trace"
)

// A Command is a program, with its arguments and standard files.
type Command struct {
	Args           []string // its name first
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// patience is how long Run waits for a program to end after it has interrupted it.
// The program may be writing profiles then, which Run does not need.
const patience = 10 * time.Second

// Run runs the program with trace=FILE added to PEPOPTS, so that it writes a trace.
// If max is not 0, Run leaves out the first tuples that the program writes, as many as
// skip says. It interrupts the program when that has written max further tuples, ends the
// trace with them, and removes other files that the program has begun to write, such as
// profiles. Without max, skip has to be 0.
func (c *Command) Run(file string, skip, max uint64) error {
	name, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if strings.Contains(name, ",") {
		return fmt.Errorf("%s: choose a name without a comma, because commas separate the settings in PEPOPTS", name)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if max > 0 {
		return c.limited(name, &trace.Filter{From: skip, First: max})
	}
	if err := c.command(context.Background(), name).Run(); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	if _, err := os.Stat(name); err != nil {
		return c.noTrace()
	}
	return nil
}

func (c *Command) noTrace() error {
	return fmt.Errorf("%s wrote no trace: build it with pepbuild -peptaps", c.Args[0])
}

func (c *Command) command(ctx context.Context, name string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.Env = append(cmd.Environ(), "PEPOPTS="+options(os.Getenv("PEPOPTS"), name))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	return cmd
}

// limited copies a part of the trace while the program writes it, until the part has all
// of its tuples.
//
// The program writes to a file, not to a pipe, because threads write blocks at the same
// time. The system keeps a block in one piece when it is appended to a file, but not in a
// pipe.
func (c *Command) limited(name string, part *trace.Filter) error {
	all := name + ".all"
	defer os.Remove(all)
	dir, err := os.MkdirTemp("", "pep-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	cmd := c.command(ctx, all)
	cmd.Env = append(cmd.Env, "PEPDIR="+dir)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	ended := make(chan struct{})
	var exit error
	go func() {
		exit = cmd.Wait()
		close(ended)
	}()
	in := &follower{name: all, ended: ended}
	defer in.close()
	err = trace.Save(name, func(out io.Writer) error {
		r, err := trace.NewReader(in)
		if err != nil {
			return err
		}
		return part.Copy(out, r)
	})
	select {
	case <-ended:
	default:
		interrupt()
		<-ended
		return err // how the program ends when it is interrupted does not matter
	}
	if exit != nil {
		return fmt.Errorf("%s: %w", c.Args[0], exit)
	}
	if in.file == nil {
		return c.noTrace()
	}
	return err
}

// A follower reads a file while a program writes it. It reports the end of the file
// only when the program has ended.
type follower struct {
	name  string
	ended <-chan struct{}
	file  *os.File // nil as long as there is none
}

func (f *follower) Read(p []byte) (int, error) {
	for {
		last := false
		select {
		case <-f.ended:
			last = true
		default:
		}
		n, err := f.read(p)
		if n > 0 || err != nil && err != io.EOF || last {
			return n, err
		}
		time.Sleep(time.Millisecond)
	}
}

// read reads what the file has now.
func (f *follower) read(p []byte) (n int, err error) {
	if f.file == nil {
		f.file, err = os.Open(f.name)
		if errors.Is(err, os.ErrNotExist) {
			f.file = nil
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
	}
	return f.file.Read(p)
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// options returns the value of PEPOPTS with its trace replaced.
func options(set, name string) string {
	var list []string
	for s := range strings.SplitSeq(set, ",") {
		if s != "" && !strings.HasPrefix(s, "trace=") {
			list = append(list, s)
		}
	}
	return strings.Join(append(list, "trace="+name), ",")
}
