package machine

// This file opens back doors for tests.

// Shift advances a state of the shift register.
var Shift = shift

// NewCam, Match, Write, Invalidate and Clear are the associative array.
type Cam struct{ cam }

func NewCam(slots, keyBits int) *Cam      { return &Cam{newCam(slots, keyBits)} }
func (c *Cam) Match(key uint64) int       { return c.match(key) }
func (c *Cam) Write(slot int, key uint64) { c.write(slot, key) }
func (c *Cam) Invalidate(slot int)        { c.invalidate(slot) }
func (c *Cam) Clear()                     { c.clear() }
