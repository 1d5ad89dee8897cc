package policy

// This file follows the links between documents.

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// linkText is a link in Markdown whose target is in the tree.
var linkText = regexp.MustCompile(`\]\(([^()\s:]+)\)`)

// Every link of a document leads to a file of the tree, and to a heading or an anchor of it
// if the link names one.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	err := walk(func(name string) error {
		if !strings.HasSuffix(name, ".md") || outside(name) && name != "testprogs/README.md" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		for _, m := range linkText.FindAllStringSubmatch(string(text), -1) {
			file, heading, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			target = filepath.Join(root, filepath.FromSlash(target))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, m[1])
			} else if heading != "" && !headings(t, target)[heading] {
				t.Errorf("%s: the link %s leads to no heading or anchor of that file", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	anchorText  = regexp.MustCompile(`<a id="([^"]*)">`)
	headingText = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// headings returns the anchors of a document, those of its headings among them.
func headings(t *testing.T, name string) map[string]bool {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range anchorText.FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = true
	}
	for _, m := range headingText.FindAllStringSubmatch(string(text), -1) {
		anchor := notInAnchor.ReplaceAllString(strings.ToLower(linkText.ReplaceAllString(m[1], "")), "")
		all[strings.ReplaceAll(anchor, " ", "-")] = true
	}
	return all
}
