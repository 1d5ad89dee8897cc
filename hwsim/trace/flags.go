package trace

// This file has the flags that commands on traces share, and Save, which writes their files.

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Flags defines the flags -tag, -stream, -func, -from, -to and -n, which set the fields
// of the filter.
func (f *Filter) Flags(flags *flag.FlagSet) {
	flags.Func("tag", "", func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			tag, err := ParseTag(name)
			if err != nil {
				return err
			}
			f.Tags = append(f.Tags, tag)
		}
		return nil
	})
	flags.Func("stream", "", func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			n, err := strconv.ParseUint(name, 10, 32)
			if err != nil {
				return fmt.Errorf("stream %q: want a number", name)
			}
			f.Streams = append(f.Streams, uint32(n))
		}
		return nil
	})
	flags.Func("func", "", func(s string) (err error) {
		f.Func, err = regexp.Compile(s)
		return err
	})
	flags.Uint64Var(&f.From, "from", 0, "")
	flags.Uint64Var(&f.To, "to", 0, "")
	flags.Uint64Var(&f.First, "n", 0, "")
}

// Save calls do to write a file. The file has a temporary name until do has returned. If do
// returns an error, Save keeps what do wrote, unless that is nothing.
func Save(name string, do func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".pep-trace-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = errors.Join(do(w), w.Flush(), f.Chmod(0o644))
	size, serr := f.Seek(0, io.SeekCurrent)
	err = errors.Join(err, serr, f.Close())
	if err != nil && size == 0 {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return errors.Join(err, os.Rename(f.Name(), name))
}
