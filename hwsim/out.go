package hwsim

// This file holds the way of messages from engines to software.

// An Out takes the messages of engines and hands them to software, a buffer at
// a time. So an event may give rise to any number of messages although nothing
// is allocated.
type Out struct {
	buf    []Message
	n      int
	drain  func([]Message)
	answer func()
}

// NewOut returns an Out with room for size messages, at least one, that drain
// gets whenever there is no room for more. drain must not keep them, and
// nothing may be sent while it runs.
func NewOut(size int, drain func([]Message)) *Out {
	return &Out{buf: make([]Message, size), drain: drain}
}

// Send takes a message.
func (o *Out) Send(m Message) {
	if o.n == len(o.buf) {
		o.Drain()
	}
	o.buf[o.n] = m
	o.n++
}

// Room returns an empty slice with room for n messages, or for as many as there
// ever is. Sent takes those that have been appended to it. An engine that sends
// a message for an event at most can so do without a call for each.
func (o *Out) Room(n int) []Message {
	if n = min(n, len(o.buf)); len(o.buf)-o.n < n {
		o.Drain()
	}
	return o.buf[o.n:o.n]
}

// Sent takes the messages that have been appended to what Room returned.
func (o *Out) Sent(msgs []Message) { o.n += len(msgs) }

// Drain hands all messages that have not been to software. Whoever has called
// Push calls it when software should know of everything.
func (o *Out) Drain() {
	if o.n > 0 {
		o.drain(o.buf[:o.n])
		o.n = 0
	}
}

// Interrupt drains, and lets software answer before the next event. Engines
// call it. Drain is no such occasion: when buffers are full depends on their
// size, and what an engine does must not.
func (o *Out) Interrupt() {
	o.Drain()
	if o.answer != nil {
		o.answer()
	}
}

// OnInterrupt says how software answers: for instance by stores to the
// registers of a Controlled engine, of which it knows by itself.
func (o *Out) OnInterrupt(answer func()) { o.answer = answer }
