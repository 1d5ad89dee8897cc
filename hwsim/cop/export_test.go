package cop

// This file opens back doors for tests.

// BuiltIn returns the image of a built-in program, "" if there is none.
func BuiltIn(name string) string {
	text, _ := builtIn(name)
	return text
}

// BuiltInNames returns the names of the built-in programs.
func BuiltInNames() (names []string) {
	for _, x := range images {
		names = append(names, x.name)
	}
	return names
}

// HostNames lists the hosts, for error messages.
var HostNames = hostNames

// Shift advances a state of the shift register.
var Shift = shift

// NewCam, Match, Write, Invalidate and Clear are the associative array.
type Cam struct{ cam }

func NewCam(slots, keyBits int) *Cam      { return &Cam{newCam(slots, keyBits)} }
func (c *Cam) Match(key uint64) int       { return c.match(key) }
func (c *Cam) Write(slot int, key uint64) { c.write(slot, key) }
func (c *Cam) Invalidate(slot int)        { c.invalidate(slot) }
func (c *Cam) Clear()                     { c.clear() }
