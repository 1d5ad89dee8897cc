// Keyvalue fills, reads, scans and empties a database of bbolt, an embedded store of keys and values.
//
// It exercises B+ trees in pages of a file that is mapped: binary searches, splits and merges of
// pages, copies of bytes. Nothing is forced to the disk. Hot: go.etcd.io/bbolt (cursor.go, node.go)
// and sort.Search.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// transactions is the number of them at 100 percent; each changes batch keys.
const (
	transactions = 3000
	batch        = 100
	keys         = 20_000
)

// Of deletes changes, one is a deletion.
var deletes = 10

var bucket = []byte("events")

var errUsage = errors.New("usage: keyvalue [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) (err error) {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	dir, err := os.MkdirTemp("", "keyvalue")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := bolt.Open(filepath.Join(dir, "db"), 0o600, &bolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if secondInput {
		deletes = 2
	}
	sum := crc32.NewIEEE()
	n := max(1, transactions*scale/100)
	r := random(1)
	for range n {
		if err := db.Update(func(tx *bolt.Tx) error { return change(tx, &r) }); err != nil {
			return err
		}
		if err := db.View(func(tx *bolt.Tx) error { return look(tx, &r, sum) }); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "keyvalue: %d transactions, checksum %08x\n", n, sum.Sum32())
	return err
}

// A random is a generator of numbers (Marsaglia, "Xorshift RNGs", 2003).
type random uint64

func (r *random) below(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r) % uint64(n))
}

func keyOf(n int) []byte { return fmt.Appendf(nil, "event/%06d", n) }

// change puts new values for most of the keys that it chooses, and deletes the others.
func change(tx *bolt.Tx, r *random) error {
	b, err := tx.CreateBucketIfNotExists(bucket)
	if err != nil {
		return err
	}
	for range batch {
		key := keyOf(r.below(keys))
		if r.below(deletes) == 0 {
			err = b.Delete(key)
		} else {
			err = b.Put(key, bytes.Repeat(binary.BigEndian.AppendUint64(nil, uint64(*r)), 1+r.below(12)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look reads some keys, and then some that follow each other.
func look(tx *bolt.Tx, r *random, sum hash.Hash32) error {
	b := tx.Bucket(bucket)
	for range batch {
		sum.Write(b.Get(keyOf(r.below(keys))))
	}
	c := b.Cursor()
	left := 3 * batch
	for k, v := c.Seek(keyOf(r.below(keys))); k != nil && left > 0; k, v = c.Next() {
		sum.Write(k)
		sum.Write(v)
		left--
	}
	return nil
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
