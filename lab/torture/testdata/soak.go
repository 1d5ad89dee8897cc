// Soak keeps the collector, the scheduler, timers and the network busy, in many
// goroutines, for the time that its argument says. It checks what it computes,
// and prints how much it did.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

var (
	stop   = make(chan bool)
	rounds atomic.Int64
)

func main() {
	length, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(5)
	var wg sync.WaitGroup
	for _, f := range []func(){
		trees, trees, channels, maps, pools, finalizers, network, timers, panics, stacks, source, source, workers, texts,
	} {
		wg.Go(func() { repeat(f) })
	}
	wg.Go(func() {
		for wait(200 * time.Millisecond) {
			children()
		}
	})
	wg.Go(func() {
		for wait(5 * time.Millisecond) {
			runtime.GC()
		}
	})
	time.Sleep(length)
	close(stop)
	wg.Wait()
	if rounds.Load() == 0 {
		panic("nothing was done")
	}
	fmt.Println("done")
}

// wait waits, and reports whether the program should go on.
func wait(d time.Duration) bool {
	select {
	case <-stop:
		return false
	case <-time.After(d):
		return true
	}
}

func repeat(f func()) {
	for {
		select {
		case <-stop:
			return
		default:
			f()
			rounds.Add(1)
		}
	}
}

func check(ok bool, what string) {
	if !ok {
		panic("wrong: " + what)
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
	if t == nil {
		return 0
	}
	return 1 + t.left.count() + t.right.count()
}

func trees() { check(grow(10).count() == 1<<11-1, "tree") }

func channels() {
	in, out := make(chan int), make(chan int, 4)
	for range 3 {
		go func() {
			for x := range in {
				out <- x * x
			}
		}()
	}
	go func() {
		for i := range 100 {
			in <- i
		}
		close(in)
	}()
	sum := 0
	for range 100 {
		select {
		case x := <-out:
			sum += x
		case <-time.After(time.Minute):
			panic("no answer")
		}
	}
	check(sum == 328350, "channels")
}

func maps() {
	m := map[string][]int{}
	for i := range 500 {
		k := fmt.Sprint(i % 97)
		m[k] = append(m[k], i)
	}
	n := 0
	for k, v := range m {
		n += len(v)
		delete(m, k)
	}
	check(n == 500 && len(m) == 0, "map")
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var (
	mu     sync.RWMutex
	shared = map[int]int{}
)

func pools() {
	for i := range 50 {
		b := pool.Get().(*bytes.Buffer)
		b.Reset()
		fmt.Fprintf(b, "%d %s", i, strings.Repeat("x", i))
		check(b.Len() > i, "buffer")
		pool.Put(b)
		mu.Lock()
		shared[i]++
		mu.Unlock()
		mu.RLock()
		check(shared[i] > 0, "shared")
		mu.RUnlock()
	}
}

var finalized atomic.Int64

func finalizers() {
	for range 20 {
		x := &tree{}
		runtime.SetFinalizer(x, func(*tree) { finalized.Add(1) })
		y := grow(2)
		runtime.AddCleanup(y, func(n int) { finalized.Add(int64(n)) }, 1)
		w := weak.Make(y)
		check(w.Value() == y, "weak pointer")
	}
}

func network() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			defer c.Close()
			// Closing with a reset leaves no port in the state TIME_WAIT.
			c.(*net.TCPConn).SetLinger(0)
			message := []byte("to and fro")
			for range 20 {
				if _, err := c.Write(message); err != nil {
					panic(err)
				}
				got := make([]byte, len(message))
				if _, err := io.ReadFull(c, got); err != nil {
					panic(err)
				}
				check(bytes.Equal(got, message), "echo")
			}
		})
	}
	wg.Wait()
}

func children() {
	out, err := exec.Command("/bin/echo", "child").Output()
	check(err == nil && string(out) == "child\n", fmt.Sprint("child: ", err))
}

func timers() {
	var n atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		time.AfterFunc(time.Duration(i)*100*time.Microsecond, func() { n.Add(1); wg.Done() })
	}
	t := time.NewTicker(200 * time.Microsecond)
	for range 5 {
		<-t.C
	}
	t.Stop()
	wg.Wait()
	check(n.Load() == 20, "timers")
}

func panics() {
	n := 0
	for i := range 50 {
		func() {
			defer func() {
				if recover() != nil {
					n++
				}
			}()
			if i%2 == 0 {
				var p *tree
				_ = *p.left
			}
			panic(i)
		}()
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.Goexit()
	}()
	<-done
	check(n == 50, "panics")
}

func deep(n int) int {
	var frame [64]byte
	frame[n&63] = 1
	if n == 0 {
		return int(frame[0])
	}
	return deep(n-1) + int(frame[n&63])
}

func stacks() {
	done := make(chan int)
	go func() { done <- deep(3000) }()
	check(<-done == 3001, "stack")
}

const text = "package p\nfunc f(a,b int)(c int){\nif a<b{for i:=range a{c+=i}}else{switch{case a==b:c=1\ndefault:c=-1}}\nreturn}\n"

func source() {
	out, err := format.Source([]byte(strings.Repeat(text, 1)))
	check(err == nil && bytes.Contains(out, []byte("for i := range a {")), "source")
}

func workers() {
	var wg sync.WaitGroup
	var sum atomic.Int64
	for i := range 200 {
		wg.Go(func() {
			runtime.Gosched()
			sum.Add(int64(i))
		})
	}
	wg.Wait()
	check(sum.Load() == 19900, "workers")
}

func texts() {
	words := strings.Fields(strings.Repeat("the quick brown fox ", 20))
	slices.Sort(words)
	check(strings.Count(strings.Join(words, " "), "fox") == 20, "texts")
}
