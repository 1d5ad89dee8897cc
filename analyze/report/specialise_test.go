package report_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
)

func parsed(t *testing.T, text string) *profile.File {
	t.Helper()
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app.values.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each site has the same value always, but code cannot be specialised for all of them.
func TestWhatIsWorthSpecialising(t *testing.T) {
	f := parsed(t, `
profile values
binary /bin/app
period 1 events/count
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=p.n type=int value=7 count=100 messages=100
word func=main.f at=x.go:3 site=x.go:5:5 kind=load expr=p.n type=int value=7 count=300 messages=300
word func=main.g at=x.go:9 site=x.go:9:1 kind=arg expr=p.n type=int value=7 count=200 messages=200
word func=main.g at=x.go:9 site=x.go:10:5 kind=result expr=q type=*int value=nil form=address count=50 messages=50
word func=main.g at=x.go:9 site=x.go:11:5 kind=load expr=q type=*int value=0x7f001000 form=address count=50 messages=50
word func=main.g at=x.go:9 site=x.go:12:5 kind=addr expr=q type= value=0x7f001000 form=address count=50 messages=50
word func=main.g at=x.go:9 site=x.go:13:5 kind=edge expr=if type= value=true count=50 messages=50
word func=main.g at=x.go:9 site=x.go:13:9 kind=result expr=true type=bool value=true count=50 messages=50
word func=main.g at=x.go:9 site=x.go:14:5 kind=store expr=s type=int value=1 count=50 messages=50
`)
	table, err := report.Values(f, source.NewTree(""), report.ValuesOptions{Events: 10, Share: .5})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range table.Specialise {
		got = append(got, x.Func+" "+x.Kind+" "+x.Condition)
	}
	if want := []string{"main.f load p.n == 7", "main.g arg p.n == 7", "main.g result q == nil"}; !slices.Equal(got,
		want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if table.Specialise[0].Line != 5 {
		t.Errorf("of two sites alike, the one on line %d is listed, want 5", table.Specialise[0].Line)
	}
}

// Of a sampled profile the lower bound of the share counts: 100 of 100 messages are 100 %, less 3 %.
func TestSpecialisingByLowerBounds(t *testing.T) {
	f := parsed(t, `
profile values
binary /bin/app
period 16 events/count
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=7 count=1600 messages=100
`)
	for share, want := range map[float64]int{.96: 1, .98: 0} {
		table, err := report.Values(f, source.NewTree(""), report.ValuesOptions{Events: 10, Share: share})
		if err != nil || len(table.Specialise) != want {
			t.Errorf("a share of %v: %+v, %v; want %d", share, table.Specialise, err, want)
		}
	}
}
