package browser

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestServeAnswersOnlyItsOwnAddress(t *testing.T) {
	tcp := func(text string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	tests := []struct {
		listens, given, host string
		want                 bool
	}{
		{"127.0.0.1:8080", "localhost", "localhost:8080", true},
		{"127.0.0.1:8080", "localhost", "LOCALHOST:8080", true},
		{"127.0.0.1:8080", "localhost", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "localhost", "localhost:8081", false},
		{"127.0.0.1:8080", "localhost", "localhost", false},
		{"127.0.0.1:8080", "localhost", "evil.example:8080", false},
		{"127.0.0.1:8080", "localhost", "localhost.evil.example:8080", false},
		{"127.0.0.1:8080", "localhost", "127.0.0.2:8080", false},
		{"127.0.0.1:8080", "localhost", "", false},
		{"127.0.0.1:80", "localhost", "localhost", true},
		{"[::1]:8080", "::1", "[::1]:8080", true},
		{"[::1]:80", "::1", "[::1]", true},
		{"10.0.0.7:8080", "box", "box:8080", true},
		{"10.0.0.7:8080", "box", "10.0.0.7:8080", true},
		{"10.0.0.7:8080", "10.0.0.7", "localhost:8080", false},
		{"0.0.0.0:8080", "", "10.0.0.7:8080", true},
		{"[::]:8080", "", "[fd00::7]:8080", true},
		{"[::]:8080", "", "localhost:8080", true},
		{"[::]:8080", "", "evil.example:8080", false},
	}
	for _, test := range tests {
		handler := handler(tcp(test.listens), test.given, "default-src 'none'", []byte("page"))
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Code == http.StatusOK; got != test.want {
			t.Errorf("listening on %s (%q), it answers %q with %d", test.listens, test.given, test.host, w.Code)
		}
		if strings.Contains(w.Body.String(), "page") != test.want {
			t.Errorf("listening on %s, it answers %q with %q", test.listens, test.host, w.Body)
		}
	}
}

func TestServeHasThePageAndNothingElse(t *testing.T) {
	server, err := Listen("localhost:0", "default-src 'none'", []byte("<p>page"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx) }()
	url := strings.TrimSuffix(server.URL, "/")
	for _, test := range []struct {
		method, path string
		code         int
	}{{"GET", "/", 200}, {"HEAD", "/", 200}, {"POST", "/", 405}, {"GET", "/favicon.ico", 404},
		{"GET", "/../etc/passwd", 404}} {
		r, err := http.NewRequest(test.method, url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != test.code {
			t.Errorf("%s %s: %d, %v", test.method, test.path, response.StatusCode, err)
		}
		if is := string(body) == "<p>page"; is != (test.method == "GET" && test.code == 200) {
			t.Errorf("%s %s: %q", test.method, test.path, body)
		}
		if got := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none';") {
			t.Errorf("%s %s has the policy %q", test.method, test.path, got)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
}

func TestListenWantsAnAddress(t *testing.T) {
	for _, address := range []string{"", "localhost", "localhost:http:1", "localhost:99999"} {
		if _, err := Listen(address, "", nil); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
}
