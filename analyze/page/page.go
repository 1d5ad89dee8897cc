// Package page writes what package annotate knows of a program as a web page.
//
//	f, err := os.Create("app.html")
//	err = page.Write(f, program)
//
// The page is one file. It loads nothing: its Content-Security-Policy allows only the script and the
// style in it, by their hashes, and pictures that are written into it. The data are in elements of
// their own, as base64 of compressed JSON:
//
//	<script type="text/plain" id="index">      the annotate.Program, with all functions
//	<script type="text/plain" id="details-0">  the annotate.Detail of the first 32 functions that have one
//	<script type="text/plain" id="details-1">  of the next 32
//
// The script decompresses what it shows. It makes text nodes of all names and of all source, so
// markup in them is text.
package page

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/pepgo/pep/analyze/annotate"
)

var (
	//go:embed page.html
	frameText string
	//go:embed page.css
	style string
	//go:embed graph.js
	graphScript string
	//go:embed page.js
	pageScript string

	script = graphScript + pageScript
	frame  = template.Must(template.New("page").Parse(frameText))
)

// chunk is how many details a block has: few enough to decompress at once, and enough to compress
// well.
const chunk = 32

// An index is what the page has at once.
type index struct {
	*annotate.Program
	Chunk int `json:"chunk"`
}

// Policy returns the Content-Security-Policy of the page, for servers that send it as a header, too.
func Policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// Write writes the page of a program.
func Write(w io.Writer, p *annotate.Program) error {
	b := bufio.NewWriter(w)
	data := struct {
		Name, Policy string
		Style        template.CSS
		Script       template.JS
	}{p.Name, Policy(), template.CSS(style), template.JS(script)}
	if err := frame.ExecuteTemplate(b, "head", data); err != nil {
		return err
	}
	if err := writeBlock(b, "index", index{p, chunk}); err != nil {
		return err
	}
	// The script shows the index while the browser still reads the details.
	if err := frame.ExecuteTemplate(b, "script", data); err != nil {
		return err
	}
	if err := writeDetails(b, p); err != nil {
		return err
	}
	if err := frame.ExecuteTemplate(b, "tail", nil); err != nil {
		return err
	}
	return b.Flush()
}

// hasDetail reports whether the page shows more of a function than its name.
func hasDetail(f *annotate.Function) bool {
	return f.State == annotate.Seen || f.State == annotate.Ran || f.Missing > 0
}

func writeDetails(w io.Writer, p *annotate.Program) error {
	var with []int
	for i, f := range p.Functions {
		if hasDetail(f) {
			with = append(with, i)
		}
	}
	n := 0
	for functions := range slices.Chunk(with, chunk) {
		var details []*annotate.Detail
		for _, i := range functions {
			d, err := p.Detail(i)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Functions[i].Name, err)
			}
			details = append(details, d)
		}
		if err := writeBlock(w, fmt.Sprintf("details-%d", n), details); err != nil {
			return err
		}
		n++
	}
	return nil
}

// writeBlock writes v into an element that a browser does not execute.
func writeBlock(w io.Writer, id string, v any) error {
	if _, err := fmt.Fprintf(w, "<script type=\"text/plain\" id=%q>", id); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	compressed := gzip.NewWriter(text)
	encoder := json.NewEncoder(compressed)
	encoder.SetEscapeHTML(false) // base64 has no markup
	if err := encoder.Encode(v); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</script>\n")
	return err
}
