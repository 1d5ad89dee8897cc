package pagetest

// This file opens pages in a browser.

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/page"
)

// A tab shows a page.
type tab struct {
	testing.TB
	ctx      context.Context
	url      string
	requests chan string // URLs that the page asked for
	console  chan string // messages
}

// browser starts a browser for all tests; TestMain ends it.
var browser = sync.OnceValues(func() (context.Context, error) {
	name, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	// The system may not let an unprivileged process make the browser's sandbox. The pages are our own.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox)
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endBrowser = chromedp.NewContext(ctx)
	return ctx, chromedp.Do(ctx)
})

var endBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	endBrowser()
	os.Exit(code)
}

// open writes the page of a program and opens it, in light or dark colours.
func open(t testing.TB, p *annotate.Program, dark bool) *tab {
	t.Helper()
	ctx, err := browser()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("needs chromium: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if err := page.Write(&content, p); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	tab := &tab{t, ctx, "file://" + name, make(chan string, 1000), make(chan string, 1000)}
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			tab.requests <- e.Request.URL
		case *runtime.EventConsoleAPICalled:
			tab.console <- "console." + string(e.Type)
		case *runtime.EventExceptionThrown:
			tab.console <- e.ExceptionDetails.Text
		case *log.EventEntryAdded:
			tab.console <- e.Entry.Text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	tab.do(chromedp.EmulateViewport(1400, 1000))
	tab.visit("")
	return tab
}

// visit opens the page anew, with the part of its address that says what to show.
func (t *tab) visit(hash string) {
	t.Helper()
	t.do(chromedp.Navigate("about:blank"), chromedp.Navigate(t.url+hash))
	t.wait("document.body.dataset.ready === 'true'")
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// click clicks on the middle of an element, as a mouse does.
func (t *tab) click(selector string) {
	t.Helper()
	t.do(chromedp.Click(chromedp.CSS(selector)))
}

func (t *tab) press(keys string) {
	t.Helper()
	t.do(chromedp.KeyEvent(keys))
}

// slash presses the key / as a keyboard does: the page can prevent that it is typed. press types always.
func (t *tab) slash() {
	t.Helper()
	call(t, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/",
		Text: "/"})
	call(t, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "/"})
}

// wait waits until an expression of JavaScript is true. While a page is being replaced, evaluation fails.
func (t *tab) wait(expression string) {
	t.Helper()
	var err error
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var ok bool
		if ok, err = chromedp.Run(t.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); ok {
			return
		}
	}
	t.Fatalf("%s is not true; the last error was %v, the address is %s", expression, err, eval[string](t, "location.href"))
}

// eval returns the value of an expression of JavaScript.
func eval[T any](t *tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// messages returns what the page has written to the console so far.
func (t *tab) messages() (list []string) {
	for len(t.console) > 0 {
		list = append(list, <-t.console)
	}
	return list
}

// others returns the requests so far that were not for the page itself, nor for what is written
// into it.
func (t *tab) others() (list []string) {
	for len(t.requests) > 0 {
		url, _, _ := strings.Cut(<-t.requests, "#")
		if url != t.url && url != "about:blank" && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
			list = append(list, url)
		}
	}
	return list
}

// call calls a command of the browser's protocol.
func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}
