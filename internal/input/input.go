// Package input opens the files that a user names on a command line.
//
// The system waits, when a program opens a named pipe for reading, until another one
// opens it for writing, which may never happen. Open does not wait:
//
//	f, err := input.Open("app.71.paths.pb.gz")
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"syscall"
)

// A File is an open file or pipe.
type File struct {
	*os.File
	Info fs.FileInfo

	read bool // something was
}

// ErrNoWriter is the error of reading a pipe that nobody writes to.
var ErrNoWriter = errors.New("a pipe that nobody writes to: start the program that writes into it first, or read from - and redirect the standard input")

// Open opens a file for reading. Its errors name the file and are fit for users;
// for a file that does not exist, they wrap fs.ErrNotExist.
func Open(name string) (*File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory, want a file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	return &File{File: f, Info: info}, nil
}

// Read reads from f. If a pipe ends before a byte has come, the error is
// ErrNoWriter. If a pipe has a writer, Read waits for it, however long that takes.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err == io.EOF && !f.read && f.Info.Mode()&fs.ModeNamedPipe != 0 {
		err = ErrNoWriter
	}
	f.read = f.read || n > 0
	return n, err
}

// Text reads a file of at most limit bytes as a whole; "-" is stdin.
func Text(name string, stdin io.Reader, limit int64) (string, error) {
	in := stdin
	if name != "-" {
		f, err := Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: longer than %d bytes: want the right file", name, limit)
	}
	return string(text), err
}

// piece is how many bytes Find reads at a time.
const piece = 1 << 20

// Find returns the offsets of a text. An error of reading is the last element.
func Find(r io.ReaderAt, text string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		buf := make([]byte, piece)
		for start := int64(0); ; start += int64(piece - len(text) + 1) {
			n, err := r.ReadAt(buf, start)
			if err != nil && err != io.EOF {
				yield(0, err)
				return
			}
			for at := 0; ; at++ {
				i := bytes.Index(buf[at:n], []byte(text))
				if i < 0 {
					break
				}
				if at += i; !yield(start+int64(at), nil) {
					return
				}
			}
			if n < len(buf) {
				return
			}
		}
	}
}

// Cause removes the name of the file from an error, for callers whose message has
// it already.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
