package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pepgo/pep/analyze/annotate"
)

// program has 70 functions with details, with some without between them.
func program() *annotate.Program {
	p := &annotate.Program{Name: `a"<b>&`, Samples: 7, Notes: []string{"</script>"}}
	for i := range 100 {
		state := annotate.Seen
		if i%10 > 6 {
			state = annotate.Never
		}
		p.Functions = append(p.Functions, &annotate.Function{Name: fmt.Sprintf("main.f%d", i), Share: .01, State: state})
	}
	p.Detail = func(i int) (*annotate.Detail, error) {
		return &annotate.Detail{End: int64(i),
			Lines: []annotate.Line{{Line: 1, Text: [][2]string{{"s", "</script>"}}, Count: 3}}}, nil
	}
	return p
}

func write(t *testing.T, p *annotate.Program) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPolicyHasTheHashesOfScriptAndStyle(t *testing.T) {
	text := write(t, program())
	m := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the page has no policy")
	}
	policy := html.UnescapeString(m[1])
	if policy != Policy() {
		t.Errorf("the page has the policy %q, want %q", policy, Policy())
	}
	for _, tag := range []string{"script", "style"} {
		// The source of both has no such tag, and elements with data have attributes.
		_, rest, _ := strings.Cut(text, "<"+tag+">")
		content, _, ok := strings.Cut(rest, "</"+tag+">")
		if !ok || strings.Contains(rest, "<"+tag+">") {
			t.Errorf("the page has not one %s", tag)
		}
		sum := sha256.Sum256([]byte(content))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not have %s", policy, want)
		}
	}
}

// The policy forbids these, and browsers would not say so before somebody looks at the console.
func TestFrameHasNoStyleAndNoHandlerInMarkup(t *testing.T) {
	if m := regexp.MustCompile(`\s(style|on[a-z]+)=`).FindString(strings.ReplaceAll(frameText, "<style>", "")); m != "" {
		t.Errorf("page.html has the attribute%s", m)
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
		"'style',", "http:", "https:"} {
		if i := strings.Index(strings.ReplaceAll(script, "http://www.w3.org/2000/svg", ""), bad); i >= 0 {
			t.Errorf("the script has %s", bad)
		}
	}
}

// decode reads the block with an id.
func decode(t *testing.T, text, id string, v any) bool {
	t.Helper()
	_, rest, ok := strings.Cut(text, fmt.Sprintf("<script type=\"text/plain\" id=%q>", id))
	if !ok {
		return false
	}
	content, _, _ := strings.Cut(rest, "</script>")
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(v); err != nil {
		t.Fatal(err)
	}
	return true
}

func TestDataComeBack(t *testing.T) {
	p := program()
	text := write(t, p)
	var got struct {
		annotate.Program
		Chunk int
	}
	if !decode(t, text, "index", &got) {
		t.Fatal("the page has no index")
	}
	if d := cmp.Diff(p, &got.Program, cmpopts.IgnoreFields(annotate.Program{}, "Detail")); d != "" {
		t.Errorf("index (-want +got):\n%s", d)
	}
	if got.Chunk != 32 {
		t.Errorf("blocks have %d details, the script counts with %d", 32, got.Chunk)
	}
	var details []*annotate.Detail
	for n := 0; ; n++ {
		var some []*annotate.Detail
		if !decode(t, text, fmt.Sprintf("details-%d", n), &some) {
			break
		}
		if want := min(32, 70-len(details)); len(some) != want {
			t.Errorf("block %d has %d details, want %d", n, len(some), want)
		}
		details = append(details, some...)
	}
	n := 0
	for i, f := range p.Functions {
		if f.State == annotate.Never {
			continue
		}
		want, _ := p.Detail(i)
		if d := cmp.Diff(want, details[n]); d != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, d)
		}
		n++
	}
	if n != len(details) {
		t.Errorf("the page has %d details, want %d", len(details), n)
	}
}

func TestPageIsSmall(t *testing.T) {
	p := program()
	if size := len(write(t, p)) - len(script) - len(style) - len(frameText); size > 8000 {
		t.Errorf("the data of 100 small functions have %d bytes", size)
	}
	if size := len(script) + len(style); size > 100_000 {
		t.Errorf("script and style have %d bytes", size)
	}
}

func TestErrorOfDetailNamesTheFunction(t *testing.T) {
	p := program()
	p.Detail = func(i int) (*annotate.Detail, error) { return nil, errors.New("no such file") }
	if err := Write(&bytes.Buffer{}, p); err == nil || err.Error() != "main.f0: no such file" {
		t.Errorf("got the error %v", err)
	}
}
