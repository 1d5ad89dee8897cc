package wire

// This file puts the tables of a program at the end of its executable, and finds
// them there.

import "github.com/pepgo/pep/runtime/digits"

// ErrNoTrailer is the error for a file without site tables.
const ErrNoTrailer = Error("none in this file (not built by pepbuild?)")

const (
	trailerMagic = "pepSITE"
	trailerLen   = 8 + 8 + 1 + len(trailerMagic) // length, hash, version, magic
)

// AppendTrailer returns tables, the concatenated tables of a program's packages,
// followed by the footer by which they are found. That is to be appended to the
// executable.
func AppendTrailer(tables []byte) []byte {
	n, hash := uint64(len(tables)), contentHash(tables)
	b := appendUint32(tables, uint32(n))
	b = appendUint32(b, uint32(n>>32))
	b = append(b, hash[:]...)
	b = append(b, Version)
	return append(b, trailerMagic...)
}

// FindTrailer returns the tables at the end of a file of size bytes, and their
// hash, which says what program path numbers belong to. It reads the file
// through readAt, which fills p from offset off and reports whether it could.
//
// Errors are [ErrNoTrailer], or other values of type [Error] for a file that
// should have tables but cannot be read.
func FindTrailer(size int64, readAt func(p []byte, off int64) bool) (tables []byte, hash [8]byte, err error) {
	if size < int64(trailerLen) {
		return nil, hash, ErrNoTrailer
	}
	footer := make([]byte, trailerLen)
	end := size - int64(trailerLen)
	if !readAt(footer, end) {
		return nil, hash, Error("reading the footer at byte " + digits.Uint(uint64(end)))
	}
	length, hash, err := readFooter(footer)
	if err != nil {
		return nil, [8]byte{}, err
	}
	if length > uint64(end) {
		return nil, [8]byte{}, Error("truncated: " + digits.Uint(length) + " bytes, " + digits.Uint(uint64(end)) + " left")
	}
	tables = make([]byte, length)
	if !readAt(tables, end-int64(length)) {
		return nil, [8]byte{}, Error("reading " + digits.Uint(length) + " bytes before the footer")
	}
	if contentHash(tables) != hash {
		return nil, [8]byte{}, Error("hash differs from the footer's")
	}
	return tables, hash, nil
}

func readFooter(b []byte) (length uint64, hash [8]byte, err error) {
	if string(b[17:]) != trailerMagic {
		return 0, hash, ErrNoTrailer
	}
	if b[16] != Version {
		return 0, hash, wrongVersion(b[16])
	}
	copy(hash[:], b[8:16])
	return littleEndian(b[:8]), hash, nil
}

// contentHash returns the 64-bit FNV-1a hash of b, most significant byte first.
func contentHash(b []byte) (hash [8]byte) {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	for i := range hash {
		hash[i] = byte(h >> (56 - 8*i))
	}
	return hash
}
