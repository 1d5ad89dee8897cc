// Package listingtest reads the tables of documents that describe the fields of listings:
//
//	### `greet list`
//
//	| member | unit | |
//	|---|---|---|
//	| `names.length` | bytes | of the name in UTF-8 |
//
// For tests that compare such a document with the code.
package listingtest

import (
	"regexp"
	"strings"
)

var row = regexp.MustCompile("(?m)^\\| (`[^`]+`) \\| ([^|]*)\\| [^ ]")

// Documented returns the fields and units of the table below a heading. A line
// without a description does not count.
func Documented(text, heading string) (fields []string) {
	_, rest, _ := strings.Cut(text, "\n### "+heading+"\n")
	section, _, _ := strings.Cut(rest, "\n### ")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		fields = append(fields, m[1]+" "+strings.TrimSpace(m[2]))
	}
	return fields
}
