package hwsim

// This file brings messages from engines to software.

// An Out takes the messages of engines and hands them to software, one full buffer at a
// time. So an event may have any number of messages, and nothing is allocated.
type Out struct {
	buf    []Message
	n      int
	drain  func([]Message)
	answer func()
}

// NewOut returns an Out with space for size messages, at least one. When there is no space
// for more, it calls drain with the messages. drain must not keep them, and must not
// send any.
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

// Space returns an empty slice with space for n messages, or for the size of the Out if that
// is less. The engine appends messages to it and then calls Sent. An engine that sends
// at most one message for an event needs no call for each message this way.
func (o *Out) Space(n int) []Message {
	if n = min(n, len(o.buf)); len(o.buf)-o.n < n {
		o.Drain()
	}
	return o.buf[o.n:o.n]
}

// Sent takes the messages that have been appended to what Space returned.
func (o *Out) Sent(msgs []Message) { o.n += len(msgs) }

// Drain hands all messages to software that it does not have yet. The caller of Push calls
// it when software should know of everything.
func (o *Out) Drain() {
	if o.n > 0 {
		o.drain(o.buf[:o.n])
		o.n = 0
	}
}

// Interrupt drains, and lets software answer before the next event. Engines call it.
// Software does not answer when a buffer is merely full: that happens at events that
// depend on the size of the buffer, and what an engine does must not depend on it.
func (o *Out) Interrupt() {
	o.Drain()
	if o.answer != nil {
		o.answer()
	}
}

// OnInterrupt sets how software answers an interrupt, for instance by stores to the
// registers of a Controlled engine that answer has as a variable.
func (o *Out) OnInterrupt(answer func()) { o.answer = answer }
