//go:build linux && amd64

package probe

import "io"

// LinkNext makes a second link of the sites, as Prune does before it closes the first. Its
// hits do not count yet.
func (s *Session) LinkNext() (io.Closer, error) {
	l, _, err := s.next()
	return l, err
}
