// Package wrap breaks text of pages into lines.
//
//	wrap.Text("* ", text) // an item of a list
package wrap

import (
	"strings"
	"unicode/utf8"
)

// columns is the width of lines.
const columns = 100

// Text returns a paragraph in lines of at most 100 columns. The first line begins with a mark, such as that of a list,
// and the others are as far to the right.
func Text(mark, text string) string {
	var b strings.Builder
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark))
		case i > 0:
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

// Page returns a page in Markdown with its paragraphs and items of lists in lines of at most 100 columns. Headings,
// tables, code and empty lines stay as they are.
func Page(text string) string {
	var b strings.Builder
	var words []string
	mark := ""
	flush := func() {
		if words != nil {
			b.WriteString(Text(mark, strings.Join(words, " ")))
		}
		words, mark = nil, ""
	}
	for line := range strings.Lines(text) {
		item := strings.HasPrefix(line, "* ")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "|"), strings.HasPrefix(line, "#"),
			strings.HasPrefix(line, "    "):
			flush()
			b.WriteString(line)
			continue
		case item:
			flush()
			mark, line = "* ", line[2:]
		}
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return b.String()
}
