// Command tracers works while tracers come and are killed. Its first argument chooses how:
//
//	messages     sends what one connection publishes to all others that have subscribed
//	collector    builds trees while the collector runs all the time and gives memory back
//	goroutines   passes numbers through 10,000 goroutines
//	signals      gets signals, and recovers from faults
//	children     starts short-lived processes
//
// It writes "ready" and the address where it listens. The others answer a line "5" with "ok 5", or with what is wrong.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	kinds := map[string]func() func(n int) error{"collector": collector, "goroutines": goroutines, "signals": signals, "children": children}
	switch kind := os.Args[1]; kind {
	case "child":
		fmt.Printf("%x\n", sha256.Sum256([]byte(os.Args[2])))
	case "messages":
		messages(listen())
	default:
		work := kinds[kind]()
		fmt.Println("ready")
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			n := 0
			fmt.Sscan(in.Text(), &n)
			if err := work(n); err != nil {
				fmt.Printf("wrong at %d: %v\n", n, err)
				continue
			}
			fmt.Println("ok", n)
		}
	}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("ready", l.Addr())
	return l
}

// messages gets lines "sub", which it answers with "subscribed", and "pub TEXT".
func messages(l net.Listener) {
	var mu sync.Mutex
	subscribers := map[net.Conn]bool{}
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			defer c.Close()
			for in := bufio.NewScanner(c); in.Scan(); {
				mu.Lock()
				if in.Text() == "sub" {
					subscribers[c] = true
					fmt.Fprintln(c, "subscribed")
				} else {
					for s := range subscribers {
						fmt.Fprintln(s, strings.TrimPrefix(in.Text(), "pub "))
					}
				}
				mu.Unlock()
			}
			mu.Lock()
			delete(subscribers, c)
			mu.Unlock()
		}()
	}
}

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func collector() func(n int) error {
	debug.SetGCPercent(1)
	kept := grow(12)
	return func(n int) error {
		const depth, trees = 10, 4
		counts := make(chan int)
		for range trees {
			go func() { counts <- grow(depth).count() }()
		}
		debug.FreeOSMemory()
		for range trees {
			if c := <-counts; c != 2<<depth-1 {
				return fmt.Errorf("a tree has %d nodes", c)
			}
		}
		if c := kept.count(); c != 2<<12-1 {
			return fmt.Errorf("the tree that was kept has %d nodes", c)
		}
		return nil
	}
}

func goroutines() func(n int) error {
	const many = 10_000
	first := make(chan int)
	last := first
	for range many {
		next := make(chan int)
		go func(in chan int) {
			for n := range in {
				next <- n + 1
			}
		}(last)
		last = next
	}
	return func(n int) error {
		const tokens = 5
		go func() {
			for i := range tokens {
				first <- n + i
			}
		}()
		for i := range tokens {
			if got := <-last; got != n+i+many {
				return fmt.Errorf("token %d came as %d", n+i, got)
			}
		}
		return nil
	}
}

type node struct {
	room [10]int
	next *node
}

//go:noinline
func second(n *node) *node { return n.next.next }

func fault() (err error) {
	defer func() { err, _ = recover().(error) }()
	second(&node{})
	return nil
}

//go:noinline
func deep(n int) int {
	var room [50]int
	if n == 0 {
		return room[49]
	}
	return deep(n-1) + 1
}

func signals() func(n int) error {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		panic(err)
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1)
	go func() {
		for x := uint64(1); ; x = x*6364136223846793005 + 1 { // it is preempted by signals
			if x == 0 {
				panic(x)
			}
			if x>>50 == 0 {
				syscall.Kill(os.Getpid(), syscall.SIGURG)
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()
	return func(n int) error {
		for range 20 {
			if err := fault(); err == nil || !strings.Contains(err.Error(), "nil pointer") {
				return fmt.Errorf("recovered %v", err)
			}
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			<-got
			depths := make(chan int)
			go func() { depths <- deep(200) }()
			if d := <-depths; d != 200 {
				return fmt.Errorf("recursion had the depth %d", d)
			}
		}
		runtime.GC()
		return nil
	}
}

func children() func(n int) error {
	return func(n int) error {
		errs := make(chan error)
		const many = 3
		for i := range many {
			go func() {
				text := fmt.Sprint(n, i)
				out, err := exec.Command(os.Args[0], "child", text).CombinedOutput()
				if want := fmt.Sprintf("%x\n", sha256.Sum256([]byte(text))); err != nil || string(out) != want {
					err = fmt.Errorf("a child wrote %q, %v", out, err)
				}
				errs <- err
			}()
		}
		var err error
		for range many {
			if e := <-errs; e != nil {
				err = e
			}
		}
		return err
	}
}
