package wire

// This file joins the tables of packages to the tables of a program.

import "github.com/pepgo/pep/format/digits"

// ErrNoTables is the error for data that does not begin with the tables of a
// program.
const ErrNoTables = Error("none in this program (not built by pepbuild?)")

// Magic is what the tables of a program begin with. It also stands, by itself,
// among the constants of every program that can read tables: only where
// [ReadHeader] finds a header do tables begin.
const Magic = "\xffpep site tables"

// HeaderSize is the number of bytes before the tables of a program.
const HeaderSize = len(Magic) + 4 + 4 + 8 + 8 + 8 + 8 + checksumLen

// A Header says what the tables of a program are, without reading them.
type Header struct {
	Packages uint32  // number of tables: one for each instrumented package
	Size     uint64  // of all tables together, in bytes
	Stored   uint64  // how many bytes they take behind the header: Size, or fewer if they are packed
	Paths    uint64  // path numbers of all packages together
	Build    [8]byte // BuildHash of the tables
}

// Join returns the tables of a program: a header, and the tables of its
// packages, which are given one after the other.
func Join(tables []byte) ([]byte, error) {
	h, err := headerOf(tables)
	if err != nil {
		return nil, err
	}
	return append(h.append(make([]byte, 0, HeaderSize+len(tables))), tables...), nil
}

func headerOf(tables []byte) (h Header, err error) {
	h = Header{Size: uint64(len(tables)), Stored: uint64(len(tables)), Build: BuildHash(tables)}
	for rest := tables; len(rest) > 0; h.Packages++ {
		l, after, err := ReadLazy(rest)
		if err != nil {
			return h, err
		}
		h.Paths += l.Paths
		rest = after
	}
	return h, nil
}

func (h *Header) append(b []byte) []byte {
	start := len(b)
	b = append(b, Magic...)
	b = appendUint32(b, Version)
	b = appendUint32(b, h.Packages)
	b = appendUint64(b, h.Size)
	b = appendUint64(b, h.Stored)
	b = appendUint64(b, h.Paths)
	b = append(b, h.Build[:]...)
	return appendUint32(b, checksum(b[start:]))
}

// ReadHeader reads the header that b begins with. The error is [ErrNoTables] if
// b does not begin with one.
func ReadHeader(b []byte) (h Header, err error) {
	const end = HeaderSize - checksumLen
	if len(b) < HeaderSize || string(b[:len(Magic)]) != Magic ||
		uint64(checksum(b[:end])) != littleEndian(b[end:HeaderSize]) {
		return h, ErrNoTables
	}
	b = b[len(Magic):]
	if v := littleEndian(b[:4]); v != Version {
		return h, wrongVersion(v)
	}
	h.Packages = uint32(littleEndian(b[4:8]))
	h.Size = littleEndian(b[8:16])
	h.Stored = littleEndian(b[16:24])
	h.Paths = littleEndian(b[24:32])
	copy(h.Build[:], b[32:])
	return h, nil
}

// ReadProgram returns the header that the tables of a program begin with, and
// the tables of its packages, one after the other. It does not check them:
// [Header.Check] and [ReadPackage] say whether the tables are as they
// were written.
func ReadProgram(b []byte) (h Header, tables []byte, err error) {
	if h, err = ReadHeader(b); err != nil {
		return Header{}, nil, err
	}
	b = b[HeaderSize:]
	if left := uint64(len(b)); h.Stored > left {
		return Header{}, nil, Error("truncated: " + digits.Uint(h.Stored) + " bytes, " + digits.Uint(left) + " left")
	}
	if b = b[:h.Stored]; h.Stored != h.Size {
		var ok bool
		if b, ok = unpack(b, h.Size); !ok {
			return Header{}, nil, Error("cannot be unpacked: they are damaged")
		}
	}
	return h, b, nil
}

// Check returns an error if tables are not the tables that h is the header of.
func (h Header) Check(tables []byte) error {
	if uint64(len(tables)) != h.Size || BuildHash(tables) != h.Build {
		return Error("hash differs from the header's")
	}
	return nil
}

// BuildHash returns the hash that profiles name a program by, given the tables of
// its packages, one after the other. It is their 64-bit FNV-1a hash, most significant byte first.
// Programs that are built from the same source in different modes have the same tables, and so
// the same hash: their profiles can be compared.
func BuildHash(tables []byte) (hash [8]byte) {
	h := uint64(14695981039346656037)
	for _, c := range tables {
		h = (h ^ uint64(c)) * 1099511628211
	}
	for i := range hash {
		hash[i] = byte(h >> (56 - 8*i))
	}
	return hash
}
