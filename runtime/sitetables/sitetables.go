package sitetables

// This file reads the tables. They are constant data, so it opens no file, and the
// header can be read at the start at no cost.

import (
	"unsafe"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/sites"
)

// linkedSites are the bytes of the program's site tables. They must not be
// written to: they are in memory that is read-only.
func linkedSites() []byte {
	return unsafe.Slice(unsafe.StringData(sites.Tables), len(sites.Tables))
}

// siteHeader returns the header of the site tables, without reading the tables: the hash by
// which profiles name the program, the number of instrumented packages, and the number of
// their paths. It is zero if the program has no tables.
func siteHeader() wire.Header {
	h, err := wire.ReadHeader(linkedSites())
	if err != nil {
		return wire.Header{}
	}
	return h
}

// Bytes returns the tables with their header, as they are in the program's file. They must not be written to.
func Bytes() []byte { return linkedSites() }

// Build returns the hash of the site tables, zeros if there are none.
func Build() [8]byte { return siteHeader().Build }

// Raw returns the site tables, one package after the other, and their hash.
func Raw() (tables []byte, build [8]byte, err error) {
	h, tables, err := wire.ReadProgram(linkedSites())
	return tables, h.Build, err
}

// All returns the site tables, which are decoded when they are needed, and their hash.
func All() (pkgs []*wire.Lazy, build [8]byte, err error) {
	tables, build, err := Raw()
	for err == nil && len(tables) > 0 {
		var p *wire.Lazy
		if p, tables, err = wire.ReadLazy(tables); err == nil {
			pkgs = append(pkgs, p)
		}
	}
	return pkgs, build, err
}

// Actions returns the table of actions, nothing if the program has none. It must not be written to.
func Actions() []byte { return unsafe.Slice(unsafe.StringData(sites.Actions), len(sites.Actions)) }
