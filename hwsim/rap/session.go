//go:build !peplinked

package rap

// This file holds the three calls of the paper's software (section 3.2), for
// several kinds of events at once.

import "fmt"

// A Session is a tree and a buffer for each kind of event: rap_init of the paper
// is Init, rap_add_points AddPoints and rap_finalize Finalize.
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

// An EventKind is a kind of event that has a tree of its own.
type EventKind struct {
	Name string
	Options
}

// sessionBits is the logarithm of the entries of each buffer. The paper's has 1024,
// which made its code streams ten times shorter (section 3.3).
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

// AddPoints counts points of a kind, the i-th of them counts[i] times. Without
// counts each counts once. After an error the points before the wrong one are
// counted.
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

// Finalize hands what is in buffers to the trees, and returns them, one for each
// kind. The session can go on.
func (s *Session) Finalize() (trees []*Tree) {
	for _, b := range s.buffers {
		b.Settle()
		trees = append(trees, b.tree)
	}
	return trees
}
