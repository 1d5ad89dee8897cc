package programs

// This file measures several programs at the same time.

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// InLanes calls f with the numbers below n, in each lane with one after the other. An error ends its lane.
func (c *Config) InLanes(n int, f func(i int) error) error {
	processors, err := c.processors()
	if err != nil {
		return err
	}
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	errs := make([]error, max(1, c.Lanes))
	var lanes sync.WaitGroup
	for lane := range errs {
		lanes.Go(func() {
			if c.Lanes > 0 {
				// Processes may use the processors of the thread that starts them. The thread
				// ends with its goroutine, because the goroutine does not unlock it.
				runtime.LockOSThread()
				errs[lane] = onlyOn(processors[lane])
			}
			for i := range next {
				if errs[lane] != nil {
					return
				}
				errs[lane] = f(i)
			}
		})
	}
	lanes.Wait()
	return errors.Join(errs...)
}

// processors returns those of the lanes, at least as many as there are lanes.
func (c *Config) processors() (list []int, err error) {
	if c.Lanes == 0 {
		return nil, nil
	}
	if list, err = usableProcessors(); err != nil {
		return nil, err
	}
	if c.Lanes < 0 || c.Lanes > len(list) {
		return nil, fmt.Errorf("%d lanes: this machine has processors for 1 to %d", c.Lanes, len(list))
	}
	return list, nil
}
