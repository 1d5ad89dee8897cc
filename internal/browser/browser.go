// Package browser shows a page in a browser on this machine:
//
//	server, err := browser.Listen("localhost:0", policy, content)
//	err = browser.Open(server.URL)
//	err = server.Serve(ctx) // until ctx is done
package browser

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A Server has one page.
type Server struct {
	URL      string // of the page
	listener net.Listener
	handler  http.Handler
}

// Listen listens on an address, host:port, for requests of a page. Port 0 is any that is free. The
// Content-Security-Policy is that of the page.
func Listen(address, policy string, content []byte) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: want host:port, such as localhost:8080", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	url := "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port(l.Addr())) + "/"
	return &Server{url, l, handler(l.Addr(), host, policy, content)}, nil
}

// Serve answers requests until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// handler serves the page to those who name its address. A site in the browser can have its own
// name point to this machine (DNS rebinding), but the browser then sends that name as the host.
func handler(listens net.Addr, host, policy string, content []byte) http.Handler {
	policy += "; frame-ancestors 'none'" // a page cannot say this of itself
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

// Open asks the system to open a page. Without a display it does nothing.
func Open(url string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", url)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return nil
		}
		cmd = exec.Command("xdg-open", url)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
