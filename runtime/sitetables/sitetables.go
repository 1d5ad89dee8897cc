package sitetables

// This file reads the tables. They are constant data, so it opens no file, and the
// header can be read at the start at no cost.

import (
	"unsafe"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/bitcode"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/sites"
)

// linked returns the bytes of the program's site tables, and what is behind them. They must not be
// written to: they are in memory that is read-only.
func linked() (tables, behind []byte) {
	all := unsafe.Slice(unsafe.StringData(sites.Tables), len(sites.Tables))
	h, err := wire.ReadHeader(all)
	if err != nil || h.Stored > uint64(len(all)-wire.HeaderSize) {
		return all, nil
	}
	end := wire.HeaderSize + int(h.Stored)
	return all[:end], all[end:]
}

// siteHeader returns the header of the site tables, without reading the tables: the hash by
// which profiles name the program, the number of instrumented packages, and the number of
// their paths. It is zero if the program has no tables.
func siteHeader() wire.Header {
	h, err := wire.ReadHeader(Bytes())
	if err != nil {
		return wire.Header{}
	}
	return h
}

// Bytes returns the tables with their header, as they are in the program's file. They must not be written to.
func Bytes() []byte {
	tables, _ := linked()
	return tables
}

// Actions returns memory that begins with the table of actions, if the program has one. It must not be written to.
func Actions() []byte {
	_, behind := linked()
	return behind
}

// Values returns memory that begins with the table of values, if the program has one: it is behind the table of
// actions. It must not be written to.
func Values() []byte {
	behind := Actions()
	actions, _ := bitcode.Table(behind, actiontable.Magic)
	return behind[len(actions):]
}

// HasValues reports whether the program has a table of values.
func HasValues() bool {
	_, ok := bitcode.Table(Values(), valuetable.Magic)
	return ok
}

// Build returns the hash of the site tables, zeros if there are none.
func Build() [8]byte { return siteHeader().Build }

// Raw returns the site tables, one package after the other, and their hash.
func Raw() (tables []byte, build [8]byte, err error) {
	h, tables, err := wire.ReadProgram(Bytes())
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
