package mutants

// This file has what is known of mutants before a run: fates of earlier runs, and explanations.

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Journal remembers fates, in a file, so that a run goes on where an earlier one was interrupted. A fate holds while
// the changed file is the same; that a mutant survived, also while the tests of its package are the same.
type Journal struct {
	root, file string
	fates      map[string]Fate
}

// Open returns the journal in a file, which need not be there.
func Open(root, file string) (*Journal, error) {
	j := &Journal{root: root, file: file, fates: make(map[string]Fate)}
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if sum, rest, ok := strings.Cut(lines.Text(), " "); ok {
			fate, _, _ := strings.Cut(rest, " ")
			j.fates[sum] = Fate(fate)
		}
	}
	return j, lines.Err()
}

// Fate returns the fate of a mutant in some tests, by which the journal tells them apart. It calls try if it does not
// know.
func (j *Journal) Fate(m Mutant, tests string, try func() (Fate, error)) (Fate, error) {
	changed := fmt.Sprintf("%x", sha256.Sum256([]byte(tests+"\n"+m.File+"\n"+m.Text())))
	survived, err := j.sumOfTests(m, changed)
	if err != nil {
		return "", err
	}
	for _, sum := range []string{changed, survived} {
		if fate, ok := j.fates[sum]; ok {
			return fate, nil
		}
	}
	fate, err := try()
	if err != nil {
		return "", err
	}
	sum := changed
	if fate == Survived {
		sum = survived
	}
	j.fates[sum] = fate
	f, err := os.OpenFile(j.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s %s of %v\n", sum, fate, tests, m)
	return fate, err
}

// sumOfTests returns a hash of the tests of the package of m and of their data, and of a hash.
func (j *Journal) sumOfTests(m Mutant, sum string) (string, error) {
	dir := filepath.Join(j.root, filepath.Dir(filepath.FromSlash(m.File)))
	h := sha256.New()
	fmt.Fprintln(h, sum)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch data := filepath.Join(dir, "testdata"); {
		case err != nil:
			return err
		case d.IsDir() && name != dir && !strings.HasPrefix(name, data):
			return fs.SkipDir // another package
		case d.IsDir() || !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, data):
			return nil
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(h, "%s\n%d\n%s", name[len(dir):], len(content), content)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

//go:embed explained.txt
var explained string

// A Change is a line of a file, before and after.
type Change struct{ File, Before, After string }

// Change returns what m changes.
func (m Mutant) Change() Change {
	before, after := m.Diff()
	return Change{m.File, before, after}
}

// Explained returns why no test can notice some changes, as explained.txt says.
func Explained() map[Change]string {
	list := make(map[Change]string)
	for entry := range strings.SplitSeq(explained, "\n\n") {
		lines := strings.SplitN(strings.TrimSpace(entry), "\n", 4)
		if len(lines) == 4 {
			after := strings.TrimSpace(strings.TrimPrefix(lines[2], "+"))
			list[Change{lines[0], strings.TrimPrefix(lines[1], "- "), after}] = strings.Join(strings.Fields(lines[3]), " ")
		}
	}
	return list
}
