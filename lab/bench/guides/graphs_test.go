package guides

import (
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
)

func TestPathsMustBeOfTheProgram(t *testing.T) {
	g, err := pathnum.Number(&pathnum.Graph{Nodes: []pathnum.Node{{Out: []pathnum.Edge{{To: pdag.Exit}}}}},
		pathnum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := profile.Func{Name: "f"}
	known := graphs{f: g}
	for _, p := range []profile.Path{{ID: profile.PathID{Func: profile.Func{Name: "g"}}, Count: 1},
		{ID: profile.PathID{Func: f, Number: 1}, Count: 1}} {
		if _, err := known.edgeCounts([]profile.Path{p}); err == nil {
			t.Errorf("%v: no error", p.ID)
		}
	}
}
