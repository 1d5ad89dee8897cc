//go:build !linux

package pepbuildtest

import "errors"

// SendTicks returns an error: programs on this system get no signals as ticks.
func SendTicks(exe string, pid int) (stop func(), err error) {
	return nil, errors.New("ticks are signals on linux only")
}
