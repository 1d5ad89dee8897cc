package core

import (
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// loopTables are the site tables of testdata/loop.go, by hand.
func loopTables() []*wire.Package {
	return []*wire.Package{{
		Path:  "main",
		Files: []string{"/src/loop.go"},
		Funcs: []wire.Func{{
			Name: "main.work", File: 0, Line: 27, Base: 64,
			Graph: pdag.Graph{
				Nodes: []pdag.Node{
					{Out: []pdag.Edge{{To: 1, Ends: true}}},
					{Out: []pdag.Edge{{To: 2}, {To: pdag.Exit, Val: 2}}},
					{Out: []pdag.Edge{{To: 3}, {To: 4, Val: 1}}},
					{Out: []pdag.Edge{{To: 1, Ends: true}}},
					{Out: []pdag.Edge{{To: 1, Ends: true}}},
				},
				Starts: []pdag.Start{{Node: 0}, {Node: 1, Val: 1}},
				N:      4,
			},
			Blocks: []wire.Block{
				{Spans: []wire.Span{{Line: 28, Col: 2, EndLine: 29, EndCol: 8}}, Outs: []wire.Out{{Line: 32, Col: 2}}},
				{Branch: wire.Branch{Kind: "for", Line: 32, Col: 2},
					Outs: []wire.Out{{Outcome: "body", Line: 33, Col: 3}, {Outcome: "done", Line: 43, Col: 2}}},
				{Branch: wire.Branch{Kind: "if", Line: 33, Col: 3},
					Outs: []wire.Out{{Outcome: "true", Line: 34, Col: 4}, {Outcome: "false", Line: 36, Col: 4}}},
				{Spans: []wire.Span{{Line: 34, Col: 4, EndLine: 34, EndCol: 7}}, Outs: []wire.Out{{Line: 32, Col: 2}}},
				{Spans: []wire.Span{{Line: 36, Col: 4, EndLine: 36, EndCol: 7}}, Outs: []wire.Out{{Line: 32, Col: 2}}},
			},
		}, {
			Name: "main.small", File: 0, Line: 47, Base: 100,
			Graph: pdag.Graph{
				Nodes: []pdag.Node{
					{Out: []pdag.Edge{{To: 1, Val: 1}, {To: 2}}},
					{Out: []pdag.Edge{{To: 2}}},
					{Out: []pdag.Edge{{To: pdag.Exit}}},
				},
				Starts: []pdag.Start{{}},
				N:      2,
			},
			Blocks: []wire.Block{
				{Branch: wire.Branch{Kind: "if", Line: 49, Col: 2},
					Outs: []wire.Out{{Outcome: "true", Line: 51, Col: 3}, {Outcome: "false", Line: 54, Col: 2}}},
				{Spans: []wire.Span{{Line: 51, Col: 3, EndLine: 51, EndCol: 9}}, Outs: []wire.Out{{Line: 54, Col: 2}}},
				{Spans: []wire.Span{{Line: 54, Col: 2, EndLine: 54, EndCol: 10}}, Outs: []wire.Out{{Line: 54, Col: 2}}},
			},
		}},
	}}
}
