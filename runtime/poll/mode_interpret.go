//go:build pepwindows

package poll

const Mode = Windows
