package asm_test

import (
	"fmt"

	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// The program of the package comment interrupts when it has seen 256 loads: an index register
// has as many bits as the data array needs, 8, if .width says nothing else.
func Example() {
	p, err := asm.Assemble("count.s", `
        .sample pc value
        .entry  load hits        # where the routine for loads begins
        .const  K1 1
hits:   add V0, V0, K1 ; inc I0  # one microinstruction, two operations
        if isat goto full        # I0 has wrapped to 0
        done                     # the next event
full:   interrupt
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := machine.New(machine.Config{})
	if err == nil {
		err = m.Load(p.Image)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	const load = 3 // tuple.Load
	events := uint64(0)
	for m.Run(10*events) != machine.Interrupted {
		m.Offer(10*events, machine.Sample{PC: 0x40, Value: 7, Class: load})
		events++
	}
	fmt.Println(events, "events, V0 =", m.Read(machine.SourceV))
	// Output: 256 events, V0 = 256
}
