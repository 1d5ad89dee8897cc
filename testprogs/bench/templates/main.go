// Templates renders pages of a shop by html/template.
//
// It exercises an interpreter that works by reflection: fields and methods by name, pipelines, ranges,
// and the escaping of HTML, URLs and scripts. Hot: text/template (exec.go), reflect, html/template
// (escape functions), fmt.
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"html/template"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// pages is the number of pages at 100 percent.
const pages = 5500

var errUsage = errors.New("usage: templates [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

const page = `<!doctype html>
<title>{{.Title}} &ndash; {{len .Items}} items</title>
{{define "stars"}}{{range $i := .}}{{if $i}}&#9733;{{else}}&#9734;{{end}}{{end}}{{end -}}
<script>var shown = {{.Names}}; track({{.Title}})</script>
{{with .Notice}}<p class="notice">{{.}}</p>{{end}}
<ul>
{{- range $i, $item := .Items}}
<li class="{{if odd $i}}odd{{else}}even{{end}}" style="width: {{$item.Width}}px">
	<a href="/item?name={{$item.Name}}&amp;from={{$.Title}}" title="{{$item.Text}}">{{$item.Name | title}}</a>
	{{if gt $item.Price 5000}}<b>{{price $item.Price}}</b>{{else if $item.Price}}{{price $item.Price}}{{else}}free{{end}}
	{{template "stars" $item.Stars}}
	{{range $k, $v := $item.Tags}}<i>{{$k}}={{$v | printf "%q"}}</i>{{end}}
</li>
{{- else}}<li>nothing</li>{{end}}
</ul>`

// An item is something that the shop sells.
type item struct {
	Name, Text string
	Price      int
	Width      int
	stars      int
	Tags       map[string]string
}

// Stars returns which of five stars shine.
func (i item) Stars() (list []bool) {
	for n := range 5 {
		list = append(list, n < i.stars)
	}
	return list
}

var functions = template.FuncMap{
	"odd":   func(n int) bool { return n%2 == 1 },
	"title": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
	"price": func(n int) string { return fmt.Sprintf("%d.%02d €", n/100, n%100) },
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	t, err := template.New("page").Funcs(functions).Parse(page)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n := max(1, pages*scale/100)
	for i := range n {
		if err := t.Execute(sum, shop(i)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "templates: %d pages, checksum %08x\n", n, sum.Sum32())
	return err
}

var words = strings.Fields("lamp table chair <b>bold</b> kettle \"quoted\" brush R&D mirror naïve clock 'single' rug")

// shop returns the data of a page.
func shop(n int) map[string]any {
	var items []item
	var names []string
	count, tagged := n%60, 4
	if secondInput {
		count, tagged = n%4, 1
	}
	for i := range count {
		name := words[(n+i*i)%len(words)]
		names = append(names, name)
		it := item{Name: name, Text: strings.Join(words[i%5:i%5+4], " "), Price: (n*i*37)%9000 - i%3, Width: 20 * i, stars: (n + i) % 6}
		if i%tagged == 0 {
			it.Tags = map[string]string{"colour": words[i%7], "size": strconv.Itoa(i)}
		}
		items = append(items, it)
	}
	data := map[string]any{"Title": words[n%len(words)], "Items": items, "Names": names, "Notice": ""}
	if n%5 == 0 || secondInput {
		data["Notice"] = "Closed on " + words[n%3]
	}
	return data
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
