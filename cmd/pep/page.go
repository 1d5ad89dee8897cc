package main

// This file holds the commands that show a program as a web page: html writes it to a file, serve
// answers a browser on this machine.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/page"
	"github.com/pepgo/pep/internal/command"
)

// programFlags defines the flags of commands that show a program, and returns what opens it.
func programFlags(c *command.Call) func() (*annotate.Program, error) {
	program := c.Flags.String("program", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	return func() (*annotate.Program, error) { return openProgram(c, c.Args, *program, *sourcePath) }
}

func htmlPage(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	open := programFlags(c)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	p, err := open()
	if err != nil {
		return err
	}
	if *out == "-" {
		return page.Write(c.Stdout, p)
	}
	name := cmp.Or(*out, filepath.Join(filepath.Dir(c.Args[0]), p.Name+".html"))
	if err := writePage(name, p); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Stdout, "%s has the page; open it in a browser\n", name)
	return err
}

// writePage writes a file. If that fails, it leaves no part of it.
func writePage(name string, p *annotate.Program) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(page.Write(f, p), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func serve(c *command.Call) error {
	address := c.Flags.String("http", "localhost:0", "")
	noBrowser := c.Flags.Bool("no_browser", false, "")
	open := programFlags(c)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(*address)
	if err != nil {
		return command.Usagef("serve: -http %s: %w: want host:port, such as localhost:8080; port 0 is any that is free", *address, err)
	}
	p, err := open()
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := page.Write(&content, p); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	url := "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port(listener.Addr())) + "/"
	fmt.Fprintf(c.Stdout, "%s has the page; ctrl-C ends\n", url)
	if !*noBrowser {
		if err := openBrowser(url); err != nil {
			fmt.Fprintf(c.Stderr, "pep: no browser: %v; open %s in one\n", err, url)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return servePage(ctx, listener, host, content.Bytes())
}

// servePage answers requests until ctx is done.
func servePage(ctx context.Context, l net.Listener, host string, content []byte) error {
	server := &http.Server{Handler: pageHandler(l.Addr(), host, content), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// pageHandler serves the page to those who name its address. A site in the browser can have its own
// name point to this machine (DNS rebinding), but the browser then sends that name as the host.
func pageHandler(listens net.Addr, host string, content []byte) http.Handler {
	policy := page.Policy() + "; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		switch {
		case !isAddress(r.Host, listens, host):
			http.Error(w, "This server does not have that name.", http.StatusForbidden)
		case r.URL.Path != "/":
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD.", http.StatusMethodNotAllowed)
		default:
			http.ServeContent(w, r, "page.html", time.Time{}, bytes.NewReader(content))
		}
	})
}

// isAddress reports whether the host of a request is the address that the server listens on: the one
// that the user gave, or the IP address. Of a server that listens on all addresses, it is any IP address.
func isAddress(requested string, listens net.Addr, host string) bool {
	name, p, err := net.SplitHostPort(requested)
	if err != nil {
		name, p = strings.Trim(requested, "[]"), "80" // browsers leave that one out
	}
	if p != port(listens) {
		return false
	}
	if host != "" && strings.EqualFold(name, host) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	on, isTCP := listens.(*net.TCPAddr)
	if !isTCP {
		return false
	}
	if err != nil { // a name
		return (on.IP.IsLoopback() || on.IP.IsUnspecified()) && strings.EqualFold(name, "localhost")
	}
	return on.IP.IsUnspecified() || on.AddrPort().Addr().Unmap() == ip.Unmap()
}

func port(a net.Addr) string {
	_, p, _ := net.SplitHostPort(a.String())
	return p
}

// openBrowser asks the system to open a page.
func openBrowser(url string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", url)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return nil // nobody sees it, and the URL is printed
		}
		cmd = exec.Command("xdg-open", url)
	}
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
