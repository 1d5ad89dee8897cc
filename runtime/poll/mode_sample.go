//go:build !pepexact && !pepwindows

package poll

const Mode = Sample
