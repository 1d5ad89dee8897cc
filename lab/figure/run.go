package figure

// This file runs the experiments that a command line names.

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
)

// Choose returns the figures of papers with IDs; "all" is the ID of all of them.
func Choose(papers []Paper, ids []string) (list []Figure, err error) {
	for _, id := range ids {
		n := len(list)
		for _, p := range papers {
			if id == "all" {
				list = append(list, p.Figures...)
			} else if f, ok := p.Find(id); ok {
				list = append(list, f)
			}
		}
		if len(list) == n {
			return nil, fmt.Errorf("unknown figure %q: figures help run lists them", id)
		}
	}
	return list, nil
}

// Run returns a sequence that runs figures, saves their plots in dir, and adds errors to err. As
// many figures run at the same time as Go has processors; the results come in the order of the list. A figure
// with an error has no result.
func Run(list []Figure, env *Env, dir string, err *error) iter.Seq[*Result] {
	type result struct {
		*Result
		err error
	}
	return func(yield func(*Result) bool) {
		places := make(chan bool, runtime.GOMAXPROCS(0))
		results := make([]chan result, len(list))
		for i := range list {
			results[i] = make(chan result, 1)
		}
		go func() {
			for i, f := range list {
				places <- true
				go func() {
					r, err := f.Run(env)
					results[i] <- result{r, err}
					<-places
				}()
			}
		}()
		for _, c := range results {
			r := <-c
			if r.err != nil {
				*err = errors.Join(*err, r.err)
				continue
			}
			*err = errors.Join(*err, r.Save(dir))
			if !yield(r.Result) {
				return
			}
		}
	}
}
