package core

// This file measures what the kernel adds to a signal handler.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
)

// measureFault measures faults of a poll while no burst is on. The handler counts nothing
// then, opens the poll region, and notes its own time in spent. What the poll takes beyond that
// is the kernel's part. The least of eight measurements is free of interruptions.
func measureFault() {
	if poll.Mode != poll.Page {
		return // signals cost little beside what flag polls do
	}
	least := ^uint64(0)
	for range 8 {
		if _, e := sys.Call(sys.NrMprotect, poll.Base, poll.Size, sys.ProtNone, 0, 0, 0); e != 0 {
			return // readyTicks has shown that this is permitted
		}
		before := golink.Load64(&spent)
		all := timeFault()
		if handler := golink.Load64(&spent) - before; handler < all {
			least = min(least, all-handler)
		}
	}
	if least != ^uint64(0) {
		aroundHandler = least
	}
	golink.Store64(&counts.Log, 0) // faults without a burst
}
