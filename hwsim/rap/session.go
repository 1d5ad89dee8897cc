//go:build !peplinked

package rap

// This file holds the three calls of the paper's software (section 3.2), for
// several kinds of events at once.

import "fmt"

// A Session has a tree and a buffer for each kind of event. Init is rap_init of the
// paper, AddPoints is rap_add_points, and Finalize is rap_finalize.
//
//	s, err := rap.Init(rap.EventKind{Name: "code"}, rap.EventKind{Name: "loads", Options: rap.Options{Eps: 0.1}})
//	err = s.AddPoints(0, pcs, nil)
//	err = s.AddPoints(1, values, counts)
//	trees := s.Finalize()
//	trees[1].Dump(os.Stdout, 0.1)
type Session struct {
	kinds   []EventKind
	buffers []*Buffer
}

// An EventKind is a kind of event. Each kind has its own tree.
type EventKind struct {
	Name string
	Options
}

// sessionBits is the logarithm of the number of entries of each buffer. The paper's
// buffer has 1024 entries, which made the paper's streams of code ten times shorter
// (section 3.3).
const sessionBits = 10

// Init returns a session with a tree for each kind, numbered from 0.
func Init(kinds ...EventKind) (*Session, error) {
	s := &Session{kinds: kinds}
	for _, k := range kinds {
		t, err := New(k.Options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		s.buffers = append(s.buffers, NewBuffer(t, sessionBits))
	}
	return s, nil
}

// AddPoints counts points of a kind. Point i counts counts[i] times, or once if counts
// is nil. After an error the points before the wrong one are counted.
func (s *Session) AddPoints(kind int, points, counts []uint64) error {
	if kind < 0 || kind >= len(s.kinds) {
		return fmt.Errorf("rap: kind %d of %d", kind, len(s.kinds))
	}
	if counts != nil && len(counts) != len(points) {
		return fmt.Errorf("rap: %d counts for %d points", len(counts), len(points))
	}
	b := s.buffers[kind]
	if counts == nil {
		if err := b.Add(points); err != nil {
			return fmt.Errorf("%s: %w", s.kinds[kind].Name, err)
		}
	}
	for i, n := range counts {
		if err := b.tree.AddCount(points[i], n); err != nil {
			return fmt.Errorf("%s: point %d: %w", s.kinds[kind].Name, i, err)
		}
	}
	return nil
}

// Finalize adds the contents of the buffers to the trees, and returns the trees, one
// for each kind. The session can continue afterwards.
func (s *Session) Finalize() (trees []*Tree) {
	for _, b := range s.buffers {
		b.Settle()
		trees = append(trees, b.tree)
	}
	return trees
}
