package main

// This file keeps the log of the traced form, and writes it when main returns: a
// line for each activation of a function, its number and its events.

import (
	"bufio"
	"os"
	"strconv"
	"sync"
)

// An event is a kind and a number.
type event struct {
	kind byte
	n    int32
}

// A T is the log of one activation.
type T struct {
	fn     int
	events []event
	breaks map[int32]bool // range loops that are left by break
}

var (
	mu  sync.Mutex
	all []*T
)

func enter(fn int) *T {
	t := &T{fn: fn}
	mu.Lock()
	all = append(all, t)
	mu.Unlock()
	return t
}

func (t *T) add(kind byte, n int32) { t.events = append(t.events, event{kind, n}) }

func (t *T) outcome(id int32) { t.add('o', id) }
func (t *T) end()             { t.add('r', 0) }
func (t *T) fall()            { t.add('f', 0) }
func (t *T) cut(loop int32)   { t.add('x', loop) }
func (t *T) entry(loop int32) { t.add('e', loop); t.broken(loop, false) }
func (t *T) broke(loop int32) { t.broken(loop, true) }

func (t *T) broken(loop int32, is bool) {
	if t.breaks == nil {
		t.breaks = map[int32]bool{}
	}
	t.breaks[loop] = is
}

func (t *T) head(loop int32) bool {
	t.add('h', loop)
	return true
}

func (t *T) cond(id int32, v bool) bool {
	if !v {
		id++
	}
	t.add('o', id)
	return v
}

// round is a round of a range loop, over its end without a break.
func (t *T) round(loop, body int32) {
	t.add('h', loop)
	t.add('o', body)
}

func (t *T) over(loop, done int32) {
	if !t.breaks[loop] {
		t.round(loop, done)
	}
}

func init() {
	atExit = func() {
		f, err := os.Create(os.Getenv("RANDPROG_LOG"))
		if err != nil {
			panic(err)
		}
		w := bufio.NewWriter(f)
		for _, t := range all {
			b := strconv.AppendInt(nil, int64(t.fn), 10)
			for _, e := range t.events {
				b = append(b, ' ', e.kind)
				b = strconv.AppendInt(b, int64(e.n), 10)
			}
			w.Write(append(b, '\n'))
		}
		if err := w.Flush(); err != nil {
			panic(err)
		}
		if err := f.Close(); err != nil {
			panic(err)
		}
	}
}
