// Jsonbench marshals and unmarshals generated orders, through structs and
// through any.
//
// It exercises reflection, a byte-at-a-time state machine, interface calls and
// many small allocations. Hot: encoding/json, reflect, strconv, unicode/utf8.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"time"
)

const (
	documents = 40   // distinct documents
	orders    = 30   // orders in a document
	trips     = 1400 // round trips at 100 percent
)

var errUsage = errors.New("usage: jsonbench [percent]")

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
	debug.SetGCPercent(400) // more time for the program, less for the collector
	rng := rand.New(rand.NewPCG(3, 4))
	docs := make([]document, documents)
	for i := range docs {
		docs[i] = newDocument(rng, i)
	}
	sum := crc32.NewIEEE()
	size := 0
	n := max(1, trips*scale/100)
	for i := range n {
		out, err := roundTrip(&docs[i%len(docs)])
		if err != nil {
			return fmt.Errorf("jsonbench: document %d: %w", i%len(docs), err)
		}
		sum.Write(out)
		size += len(out)
	}
	_, err = fmt.Fprintf(stdout, "jsonbench: %d round trips, %d bytes, checksum %08x\n", n, size, sum.Sum32())
	return err
}

type document struct {
	ID     int               `json:"id"`
	Orders []order           `json:"orders"`
	Labels map[string]string `json:"labels"`
}

type order struct {
	Number   uint64    `json:"number"`
	Placed   time.Time `json:"placed"`
	Customer *customer `json:"customer,omitempty"`
	Items    []item    `json:"items"`
	Paid     bool      `json:"paid"`
	Note     string    `json:"note,omitempty"`
	State    state     `json:"state"`
}

type customer struct {
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Tags  []string `json:"tags"`
}

type item struct {
	SKU      string     `json:"sku"`
	Quantity int        `json:"quantity"`
	Price    float64    `json:"price"`
	Size     [3]float32 `json:"size"`
	Extra    any        `json:"extra"`
}

// A state goes by its name in JSON.
type state int

var stateNames = []string{"new", "packed", "sent", "returned"}

func (s state) MarshalText() ([]byte, error) { return []byte(stateNames[s]), nil }

func (s *state) UnmarshalText(text []byte) error {
	for i, name := range stateNames {
		if name == string(text) {
			*s = state(i)
			return nil
		}
	}
	return fmt.Errorf("unknown state %q", text)
}

// roundTrip takes doc to JSON and back, once typed and once untyped, and
// returns the indented form of the untyped.
func roundTrip(doc *document) ([]byte, error) {
	typed, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var back document
	if err := json.Unmarshal(typed, &back); err != nil {
		return nil, err
	}
	again, err := json.Marshal(&back)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, typed) {
		return nil, errors.New("second marshalling differs from the first")
	}
	var tree any
	if err := json.Unmarshal(typed, &tree); err != nil {
		return nil, err
	}
	return json.MarshalIndent(tree, "", "  ")
}

func newDocument(rng *rand.Rand, id int) document {
	doc := document{ID: id, Labels: make(map[string]string)}
	for range orders {
		doc.Orders = append(doc.Orders, newOrder(rng))
	}
	for range 10 {
		doc.Labels[phrase(rng, 1)] = phrase(rng, 2)
	}
	return doc
}

func newOrder(rng *rand.Rand) order {
	o := order{
		Number: rng.Uint64(),
		Placed: time.Unix(1_700_000_000+rng.Int64N(1e8), rng.Int64N(1e9)).UTC(),
		Paid:   rng.IntN(3) > 0,
		State:  state(rng.IntN(len(stateNames))),
	}
	if rng.IntN(4) > 0 {
		name := phrase(rng, 2)
		o.Customer = &customer{Name: name, Email: fmt.Sprintf("c%d@example.org", rng.IntN(1e6))}
		for range rng.IntN(4) {
			o.Customer.Tags = append(o.Customer.Tags, phrase(rng, 1))
		}
	}
	if rng.IntN(5) == 0 {
		o.Note = phrase(rng, 12)
	}
	items := 1 + rng.IntN(5)
	if secondInput {
		items *= 3
	}
	for range items {
		o.Items = append(o.Items, item{
			SKU:      fmt.Sprintf("%06X", rng.IntN(1<<24)),
			Quantity: 1 + rng.IntN(9),
			Price:    float64(rng.IntN(100_000)) / 100,
			Size:     [3]float32{rng.Float32(), rng.Float32(), rng.Float32()},
			Extra:    extra(rng),
		})
	}
	return o
}

// extra returns a value of a random JSON type.
func extra(rng *rand.Rand) any {
	if secondInput {
		return rng.IntN(1e6)
	}
	switch rng.IntN(5) {
	case 0:
		return nil
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return rng.NormFloat64()
	case 3:
		return phrase(rng, 3)
	default:
		return map[string]any{"left": extra(rng), "right": []any{extra(rng), extra(rng)}}
	}
}

// phrase returns words, some of which JSON escapes.
func phrase(rng *rand.Rand, words int) string {
	vocabulary := []string{"amber", "blue & green", "crème", "\"delta\"", "écart", "fox\ttrot", "gold", "<hotel>", "日本", "juliet"}
	if secondInput {
		vocabulary = []string{"plain", "words", "only"}
	}
	var out []byte
	for i := range words {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, vocabulary[rng.IntN(len(vocabulary))]...)
	}
	return string(out)
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
