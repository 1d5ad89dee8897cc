package figure

import (
	"fmt"
	"testing"
)

// Figures that run at the same time have their results in the order of the list, and errors are not lost.
func TestFiguresRunAtTheSameTime(t *testing.T) {
	var list []Figure
	for i := range 9 {
		list = append(list, Figure{ID: fmt.Sprint(i), Experiment: func(env *Env, res *Result) error {
			if i%4 == 3 {
				return fmt.Errorf("no %d", i)
			}
			res.Describe("%d", i)
			return nil
		}})
	}
	var err error
	got := ""
	for r := range Run(list, &Env{}, t.TempDir(), &err) {
		got += r.ID + "=" + r.Setup[0] + " "
	}
	if want := "0=0 1=1 2=2 4=4 5=5 6=6 8=8 "; got != want || err == nil || err.Error() != "3: no 3\n7: no 7" {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
