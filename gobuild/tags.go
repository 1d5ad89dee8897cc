package gobuild

// This file gives packages their tags.

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/pepgo/pep/gobuild/internal/plan"
)

// tags returns the tags of packages by import path. The key stands for the instrumenter.
func (b *build) tags(key string) (tags map[string]plan.Tag, err error) {
	if b.args.Mode == plan.Layout {
		return b.counts()
	}
	tag := b.args.Tag(key, b.compiler.Key)
	if tag.Dump != "" {
		if tag.Dump, err = filepath.Abs(tag.Dump); err != nil {
			return nil, err
		}
		// If the tag were the same as before, the go command would take the package
		// from its cache, and nothing would be dumped. So each build has a new tag.
		tag.Tool += fmt.Sprintf("-%d", time.Now().UnixNano())
	}
	tags = map[string]plan.Tag{}
	for _, path := range b.selected {
		tag.Guide = b.guided[path]
		tags[path] = tag
	}
	if b.args.Mode == plan.Windows {
		b.tagMains(tags, tag)
	}
	return tags, nil
}

// tagMains adds the tags of packages that have others in programs with windows. Of packages that are not
// selected, those have one that the user names: they are main packages, or their external tests and the main
// packages of their tests have their flags.
func (b *build) tagMains(tags map[string]plan.Tag, tag plan.Tag) {
	for _, p := range b.deps {
		switch path := p.path(); {
		case slices.Contains(b.selected, path):
			if p.Name == "main" {
				main := tag
				main.Work = plan.Main
				tags[path] = main
			}
		case slices.Contains(b.selected, path+"_test"): // a package without Go files but for its external tests
			tags[path] = tag
		case !p.DepOnly && !p.isTestMain():
			tags[path] = plan.Tag{Work: plan.Untabled, Tool: tag.Tool}
		}
	}
}
