package figure

// This file runs the experiments that a command line names.

import (
	"errors"
	"fmt"
	"iter"
)

// Choose returns the figures with IDs; "all" is the ID of all of them.
func Choose(ids []string) (list []Figure, err error) {
	for _, id := range ids {
		f, ok := Find(id)
		switch {
		case id == "all":
			list = append(list, All...)
		case ok:
			list = append(list, f)
		default:
			return nil, fmt.Errorf("unknown figure %q: pepsim help figure lists them", id)
		}
	}
	return list, nil
}

// Run returns a sequence that runs figures one by one, saves their plots in dir, and adds
// errors to err. A figure with an error has no result.
func Run(list []Figure, env *Env, dir string, err *error) iter.Seq[*Result] {
	return func(yield func(*Result) bool) {
		for _, f := range list {
			r, failed := f.Run(env)
			if failed != nil {
				*err = errors.Join(*err, failed)
				continue
			}
			*err = errors.Join(*err, r.Save(dir))
			if !yield(r) {
				return
			}
		}
	}
}
