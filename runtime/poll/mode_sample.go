//go:build !pepexact

package poll

const Mode = Sample
