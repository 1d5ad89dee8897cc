package core

// This file keeps ticks within the budget. Handlers add up how long they take, and each tick
// passes the sum on to package pace, which says when the next one is due.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pace"
)

var (
	tickPace pace.Pace
	keeping  uint32 // 1 while a thread changes tickPace
	spent    uint64 // by handlers and by polls in bursts, in cycles
	settled  uint64 // of spent
	owed     uint64 // time that ticks stand for and that does not make up a whole tick yet, in ns
	began    uint64 // the clock of ticks when sampling began, in ns

	tickCost   uint64 // of a tick outside of handlers, in cycles
	tickLength uint64 // the shortest interval between ticks, in ns
)

// longSpend is the most that a poll is taken to have spent, in cycles: some 100 µs, more than it
// takes. If the thread has lost its processor in the meantime, most of the time was that of others.
const longSpend = 1 << 18

// longest is likewise the most that a handler is taken to have spent.
var longest uint64 = longSpend

// keepPace is called when a tick may be due, at a time of the clock of ticks. It returns the time that the tick
// stands for, and how many ticks of the shortest interval were due in that time; what is left
// belongs to the next one. It returns 0 if none is due, or another thread is here.
func keepPace(now uint64) (stands, due uint64) {
	if !golink.Cas32(&keeping, 0, 1) {
		return 0, 0
	}
	if now < tickPace.Due {
		golink.Store32(&keeping, 0)
		return 0, 0
	}
	cycles := golink.Load64(&spent)
	cost := pace.Ns(cycles - settled)
	settled = cycles
	golink.Add64(&counts.Spent, int64(cost))
	stands = tickPace.Next(now, cost)
	time := now - began
	golink.Add64(&counts.Allowed, int64((time-golink.Load64(&counts.Time))*tickPace.Budget/1e6))
	golink.Store64(&counts.BudgetNow, tickPace.Budget)
	golink.Store64(&counts.Time, time)
	owed += stands
	if tick := tickLength; tick != 0 {
		due = owed / tick
		owed -= due * tick
	}
	golink.Store32(&keeping, 0)
	return stands, due
}
