// Httpecho lets many clients send JSON requests to an HTTP server in the same
// process, over the loopback interface.
//
// It exercises many goroutines on all processors: the network poller, channels
// and timers of net/http, header parsing, system calls, JSON both ways. Hot:
// net/http, net/textproto, bufio, encoding/json, internal/poll, the scheduler.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

const (
	clients  = 32
	requests = 60_000 // of all clients together, at 100 percent
)

var errUsage = errors.New("usage: httpecho [percent]")

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

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := http.Server{Handler: http.HandlerFunc(echo)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	n := max(1, requests*scale/100)
	total, err := requestAll("http://"+listener.Addr().String(), n)

	err = errors.Join(err, server.Shutdown(context.Background()))
	if serr := <-served; serr != http.ErrServerClosed {
		err = errors.Join(err, serr)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "httpecho: %d requests, %d bytes, checksum %016x\n", n, total.bytes, total.sum)
	return err
}

type request struct {
	Client int       `json:"client"`
	Seq    int       `json:"seq"`
	Text   string    `json:"text"`
	Values []float64 `json:"values"`
}

type reply struct {
	Client int     `json:"client"`
	Seq    int     `json:"seq"`
	Text   string  `json:"text"`
	Mean   float64 `json:"mean"`
}

// echo answers a request with its text in capitals and the mean of its values.
func echo(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rep := reply{Client: req.Client, Seq: req.Seq, Text: strings.ToUpper(req.Text)}
	for _, v := range req.Values {
		rep.Mean += v / float64(len(req.Values))
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(rep) // an error is the client's loss of the connection, which it reports
}

// A tally sums up replies; the order of addition does not matter.
type tally struct {
	sum   uint64 // of the replies' checksums
	bytes int
}

// requestAll spreads n requests over the clients.
func requestAll(url string, n int) (tally, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	var wg sync.WaitGroup
	var tallies [clients]tally
	var errs [clients]error
	for id := range clients {
		wg.Go(func() {
			share := n / clients
			if id < n%clients {
				share++
			}
			tallies[id], errs[id] = requestShare(client, url, id, share)
		})
	}
	wg.Wait()

	var total tally
	for _, t := range tallies {
		total.sum += t.sum
		total.bytes += t.bytes
	}
	return total, errors.Join(errs[:]...)
}

// requestShare makes the n requests of one client, one after another.
func requestShare(client *http.Client, url string, id, n int) (tally, error) {
	rng := rand.New(rand.NewPCG(9, uint64(id)))
	var t tally
	text, values := "message %x", 20
	if secondInput {
		text, values = "<a somewhat longer \"message\" & more, %x>", 2
	}
	for seq := range n {
		req := request{Client: id, Seq: seq, Text: fmt.Sprintf(text, rng.Uint64())}
		for range 1 + rng.IntN(values) {
			req.Values = append(req.Values, rng.Float64())
		}
		body, err := post(client, url, req)
		if err != nil {
			return t, fmt.Errorf("client %d, request %d: %w", id, seq, err)
		}
		t.sum += uint64(crc32.ChecksumIEEE(body))
		t.bytes += len(body)
	}
	return t, nil
}

// post sends req and returns the body of the reply to it.
func post(client *http.Client, url string, req request) ([]byte, error) {
	text, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	resp, err := client.Post(url, "application/json", strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", resp.Status, body)
	}
	var rep reply
	if err := json.Unmarshal(body, &rep); err != nil {
		return nil, err
	}
	if rep.Client != req.Client || rep.Seq != req.Seq {
		return nil, fmt.Errorf("got the reply to client %d, request %d", rep.Client, rep.Seq)
	}
	return body, nil
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
