package sys

// This file takes names of files apart, on all systems.

// Base returns the last element of a path.
func Base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
