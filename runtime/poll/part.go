//go:build peppart

package poll

const Part = true
