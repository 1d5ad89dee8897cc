//go:build !linux

package programs

import "errors"

var errLanes = errors.New("only Linux gives lanes processors of their own: measure without lanes")

func usableProcessors() ([]int, error) { return nil, errLanes }

func onlyOn(int) error { return errLanes }
