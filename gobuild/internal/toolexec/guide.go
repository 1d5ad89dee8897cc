package toolexec

// This file hands a profile to the packages that it is about, and says how well it fits them.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/instrument/guide"
)

// guideMember is the archive member that says how well a profile fits the package.
const guideMember = "pep.guide"

// readGuide returns what the profile says of the package; nil if there is no profile, or if it has
// nothing of the package.
func (c *compilation) readGuide() (*guide.Package, error) {
	name := c.tag.Guide
	if name == "" {
		return nil, nil
	}
	if c.plan.GuideDir == "" {
		return nil, notSet("guide")
	}
	data, err := os.ReadFile(filepath.Join(c.plan.GuideDir, name))
	if err != nil {
		return nil, err
	}
	p := new(guide.Package)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("guide %s: %w", name, err)
	}
	return p, nil
}

// addMatch stores in the archive of a package how well the profile fits it.
func addMatch(out string, m guide.Match) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return archive.Add(out, guideMember, data)
}

// tellMatch prints how well the profile fits the packages of a program. If nothing fits, and there
// is no other program that it may be of, it returns an error.
func (t *tool) tellMatch(imp *importer) error {
	name := t.plan.Guide
	if name == "" {
		return nil
	}
	var sum guide.Match
	for _, file := range imp.file {
		data, err := archive.Find(file, guideMember)
		if err != nil || data == nil {
			if err != nil {
				return err
			}
			continue
		}
		var m guide.Match
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		sum.Add(m)
	}
	if sum.Branches == 0 && t.plan.Mains == 1 {
		return fmt.Errorf("-pepguide=%s: %s: it is a profile of another program or of other source; profile this program anew, or build without -pepguide", name, nothing(sum))
	}
	fmt.Fprintf(t.stderr, "pepbuild: -pepguide=%s: %v\n", name, sum)
	return nil
}

// nothing says why a profile guides nothing.
func nothing(m guide.Match) string {
	switch {
	case m.Funcs == 0:
		return fmt.Sprintf("none of its %d functions is in the source", m.FuncsOf)
	case m.Lines:
		return fmt.Sprintf("the lines of its %d functions that the source has tell no branch", m.Funcs)
	}
	return fmt.Sprintf("none of its %d branches is in the source", m.BranchesOf)
}
