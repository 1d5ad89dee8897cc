//go:build pepflag && !pepexact

package poll

const Mode = Flag
