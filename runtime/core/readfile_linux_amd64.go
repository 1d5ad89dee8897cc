package core

// maxFile is the size of the largest file that can be part of the settings.
const maxFile = 1 << 20

// A fileError says what is wrong with a file.
type fileError struct{ name, problem string }

func (e *fileError) Error() string { return e.name + ": " + e.problem }

// readFile returns what is in a file, relative to the current directory.
func readFile(name string) ([]byte, error) {
	fd, e := open(name, oRdonly|oNonblock)
	if e != 0 {
		return nil, &fileError{name, e.Error()}
	}
	defer closeFd(fd)
	info, e := fstat(fd)
	switch {
	case e != 0:
		return nil, &fileError{name, e.Error()}
	case info.mode&typeMask != typeRegular:
		return nil, &fileError{name, "it is " + info.kind() + ", not a regular file"}
	case info.size > maxFile:
		return nil, &fileError{name, "larger than 1 MB"}
	}
	b := make([]byte, info.size)
	if !pread(fd, b, 0) {
		return nil, &fileError{name, "cannot be read to its end"}
	}
	return b, nil
}
