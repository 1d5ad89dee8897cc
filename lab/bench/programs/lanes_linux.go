package programs

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// usableProcessors returns the numbers of the processors that this process may use.
func usableProcessors() (list []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("asking for the processors: %w", err)
	}
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list, nil
}

// onlyOn keeps the calling thread, and processes that it starts, on one processor.
func onlyOn(processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("keeping to processor %d: %w", processor, err)
	}
	return nil
}
