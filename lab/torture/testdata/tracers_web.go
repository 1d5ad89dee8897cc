// Command tracers_web is a web server that works while tracers come and are killed. It writes "ready" and its address, and
// answers requests with the hash of their body.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, err := io.Copy(h, r.Body)
		fmt.Fprintf(w, "%d %x %v\n", n, h.Sum(nil), err)
	})
	fmt.Println("ready", l.Addr())
	fmt.Println(http.Serve(l, nil))
}
