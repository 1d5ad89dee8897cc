package profile

// This file bounds the memory that reading takes.
//
// A profile is compressed, and every sample refers to strings and stacks that
// are in the file once. So a small file can describe more than any memory
// holds: 0.4 MB of gzip can be 400 MB of empty samples, which the pprof package
// makes into 50 GB of structs; or a million samples that all have one stack of a
// million frames. So memory is estimated before it is allocated, twice: weighRaw
// estimates from the undecoded bytes what decoding allocates, and weigh from the
// decoded profile what listing the samples allocates. The numbers below are sizes
// of structs, rounded up for what append and maps keep free. A test makes files of
// every shape and compares: no estimate is too low, and for profiles as programs write
// them none is more than twice what is used.

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// DefaultMemory is how much memory a Reader allows itself, in bytes, if its field
// Memory is 0. A profile with a million paths fits.
const DefaultMemory = 2 << 30

// memoryVariable is the environment variable by which users allow more.
const memoryVariable = "PEPMEMORY"

// rawPart says which part of the memory the undecoded file may take: an eighth.
const rawPart = 8

// MemoryFrom returns how much memory the environment allows: PEPMEMORY=8GB.
func MemoryFrom(getenv func(string) string) (int64, error) {
	text := getenv(memoryVariable)
	if text == "" {
		return DefaultMemory, nil
	}
	digits := strings.TrimRight(text, "KMGB")
	shift, ok := map[string]int{"": 0, "KB": 10, "MB": 20, "GB": 30, "K": 10, "M": 20, "G": 30}[text[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%s=%q: want a size such as 512MB or 8GB", memoryVariable, text)
	}
	return n << shift, nil
}

func tooLarge(limit int64, what string) error {
	return fmt.Errorf("reading it may take more than the %s of memory that pep allows itself, because of %s; if you trust the file, set %s=%s or more",
		size(limit), what, memoryVariable, size(2*limit))
}

// size formats a number of bytes as users write it in PEPMEMORY.
func size(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%dGB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMB", n>>20)
	}
	return fmt.Sprintf("%dKB", (n+1<<10-1)>>10)
}

// readAll reads r, and returns an error as soon as it has more bytes than an
// undecoded file may take.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	most := limit / rawPart
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge(limit, "its size")
	}
	return data, err
}

// Fields of the pprof format that may repeat any number of times, and what one of them takes: its struct,
// its place in a slice that append makes, and that in the map by which others find it.
const (
	fieldSample   = 2
	fieldMapping  = 3
	fieldLocation = 4
	fieldFunction = 5
	fieldComment  = 13 // numbers of strings

	sampleLabel  = 3
	locationLine = 4
	labelString  = 2

	mappingBytes  = 180
	locationBytes = 150
	functionBytes = 170
	sampleBytes   = 176
	otherBytes    = 72 // a string or a sample type
	lineBytes     = 112
	numberBytes   = 24 // also of a value or a location of a sample
	commentBytes  = 48
)

// weighRaw returns an estimate of the bytes that decoding allocates for an
// undecoded profile. It stops as soon as the estimate is above the limit. The
// profile need not make sense.
func weighRaw(data []byte, limit int64) int64 {
	weight := 2 * int64(len(data)) // the bytes, and the strings made of them
	for len(data) > 0 && weight <= limit {
		var f field
		if f, data = nextField(data); data == nil {
			break
		}
		switch f.number {
		case fieldSample:
			weight += sampleBytes + weighSample(f.data, limit)
		case fieldLocation:
			weight += locationBytes
			for in := f.data; len(in) > 0 && weight <= limit; {
				var g field
				if g, in = nextField(in); g.number == locationLine {
					weight += lineBytes
				}
			}
		case fieldMapping:
			weight += mappingBytes
		case fieldFunction:
			weight += functionBytes
		case fieldComment:
			weight += commentBytes * max(int64(numbers(f.data)), 1)
		default:
			weight += otherBytes
		}
	}
	return weight
}

// weighSample returns what the fields of a sample take.
func weighSample(in []byte, limit int64) (weight int64) {
	strings, numeric := 0, 0
	for len(in) > 0 && weight <= limit {
		var g field
		if g, in = nextField(in); in == nil {
			break
		}
		if g.number != sampleLabel {
			weight += numberBytes * max(int64(numbers(g.data)), 1)
			continue
		}
		if isString(g.data) {
			strings++
		} else {
			numeric++
		}
		weight += 64 // the undecoded label, where append has twice the space
	}
	// Each of the maps has slots for all labels, of a string and a slice.
	slots := int64(8)
	for n := int64(strings + numeric); slots < n || slots > 8 && 7*slots < 8*n; {
		slots *= 2
	}
	const slotBytes, slicesBytes = 44, 32
	if strings > 0 {
		weight += 48 + slotBytes*slots + slicesBytes*int64(strings)
	}
	if numeric > 0 { // numbers and their units
		weight += 2 * (48 + slotBytes*slots + slicesBytes*int64(numeric))
	}
	return weight
}

// isString reports whether a label has a string, and no number.
func isString(label []byte) bool {
	for len(label) > 0 {
		var f field
		if f, label = nextField(label); label != nil && f.number == labelString {
			return true
		}
	}
	return false
}

// A field is a field of a message in the protobuf encoding.
type field struct {
	number uint64
	data   []byte // nil if it is a number
}

// nextField returns the first field of a message and what follows it, which is
// nil if there is no whole field.
func nextField(data []byte) (f field, rest []byte) {
	key, n := binary.Uvarint(data)
	if n <= 0 {
		return field{}, nil
	}
	f.number = key >> 3
	data = data[n:]
	length := uint64(0)
	switch key & 7 {
	case 0:
		if _, n = binary.Uvarint(data); n <= 0 {
			return field{}, nil
		}
		return f, data[n:]
	case 1:
		length = 8
	case 5:
		length = 4
	case 2:
		if length, n = binary.Uvarint(data); n <= 0 {
			return field{}, nil
		}
		data = data[n:]
	default:
		return field{}, nil
	}
	if length > uint64(len(data)) {
		return field{}, nil
	}
	f.data = data[:length]
	return f, data[length:]
}

// numbers counts the varints of a packed field.
func numbers(data []byte) (n int) {
	for _, c := range data {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// usualName is how long the names of a function and of its file are together, or shorter.
const usualName = 160

// listedBytes returns an estimate of the bytes that are allocated when the samples of a
// profile are listed, summed up and printed. It stops as soon as the estimate is
// above the limit. Strings of labels are not copied.
func listedBytes(p *pprof.Profile, limit int64) (weight int64) {
	stacks := make(map[*pprof.Location]int64, len(p.Location))
	for _, l := range p.Location {
		for _, line := range l.Line {
			stacks[l] += 80 // a Frame
			if f := line.Function; f != nil {
				// Reports hold few names as text. Long ones are counted: a table is as wide as its longest.
				stacks[l] += max(int64(len(f.Name)+len(f.Filename))-usualName, 0)
			}
		}
	}
	for _, s := range p.Sample {
		weight += 1024 // a Path or a Word, one of a sum, keys of maps
		for _, l := range s.Location {
			weight += stacks[l]
		}
		for key, values := range s.Label {
			switch {
			case key == schema.Branches && len(values) > 0: // decisions, separated by semicolons
				weight += 128 * int64(1+strings.Count(values[0], "; "))
			case key == schema.Words:
				weight += 128
			case schema.GoroutineKey(key) == key:
				weight += 64 * int64(len(values))
			}
		}
		if weight > limit {
			return weight
		}
	}
	return weight
}
