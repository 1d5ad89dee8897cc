package plan

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/pathnum"
)

// plans has a plan of each mode.
var plans = []Plan{
	{Mode: Windows, Packages: []string{"./...", "a b"},
		Places: Places{Release: "go1.27", Compiler: "/c", Linked: "/l", Mains: 2}},
	{Mode: Polls, Truncate: "join", Order: "coldest", Guide: "a 'profile'.pb.gz", Dump: "/a dir/with,dump=and=commas,",
		Places: Places{GuideDir: "/g"}},
	{Mode: Polls, Without: "polls", Bisect: "v!01+x1a-11"},
	{Mode: Exact, Without: "atomics", Places: Places{WithC: []string{"m/c", "m/d"}}},
	{Mode: Cover, Packages: []string{"all"}, Places: Places{Progress: "/p"}},
	{Mode: TapsAlone, Taps: Taps{"loads,stores", `^main\.(f|"g" ),=%2C$`, "x.go:1-2,y.go", 7}},
	{Mode: Exact, Taps: Taps{Kinds: "all"}},
	{Mode: Table, Table: "t", Values: "all"},
	{Mode: Windows, Packages: []string{"all"}, Values: "all"},
	{Mode: Layout, Opt: "3*a.pb.gz,b.pb.gz", Places: Places{CountsDir: "/d"}},
}

// Tools read the plan that pepbuild has written, of each mode that there is.
func TestPlansRoundTrip(t *testing.T) {
	var seen []Mode
	for _, p := range plans {
		seen = append(seen, p.Mode)
		name, value, _ := strings.Cut(p.Environment(), "=")
		t.Setenv(name, value)
		got, err := FromEnvironment()
		if diff := cmp.Diff(&p, got); err != nil || diff != "" {
			t.Errorf("%+v: %v, -want +got:\n%s", p, err, diff)
		}
	}
	for _, k := range modes {
		if !slices.Contains(seen, k.Mode) {
			t.Errorf("no plan is of mode %s", k.Mode)
		}
	}
	// Each field of a plan is set in one of the plans, so that none is left out of the text.
	for _, typ := range []reflect.Type{reflect.TypeFor[Plan](), reflect.TypeFor[Places]()} {
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			if !slices.ContainsFunc(plans, func(p Plan) bool { return !reflect.ValueOf(p).FieldByName(name).IsZero() }) {
				t.Errorf("no plan has a %s", name)
			}
		}
	}
	os.Setenv(Env, "{")
	if _, err := FromEnvironment(); err == nil || !strings.Contains(err.Error(), Env) {
		t.Errorf("of half a plan: %v", err)
	}
	os.Setenv(Env, "")
	if got, err := FromEnvironment(); err != nil || !reflect.DeepEqual(got, new(Plan)) {
		t.Errorf("without a plan: %+v, %v", got, err)
	}
}

// A tag says the same to the tool as to pepbuild.
func TestTagsRoundTrip(t *testing.T) {
	tags := []Tag{
		{Work: Runtime, Tool: "0123"},
		{Work: Main, Tool: "0123", Compiler: "4567"},
		{Work: Untabled, Tool: "0123"},
		{Work: Counts, Compiler: "4567", Counts: "89ab"},
	}
	for _, p := range plans {
		tag := p.Tag("0123", "4567")
		tags = append(tags, tag, tag.Importers())
		tag.Guide = "89ab"
		tags = append(tags, tag)
	}
	for _, tag := range tags {
		value, ok := strings.CutPrefix(tag.Arg(), TagFlag+"=")
		if !ok || strings.ContainsAny(value, " '\"\t\n") {
			t.Fatalf("%q is to begin with %s and to need no quotation marks", tag.Arg(), TagFlag)
		}
		if got, err := ParseTag(value); err != nil || got != tag {
			t.Errorf("ParseTag(%q) = %+v, %v, want %+v", value, got, err, tag)
		}
	}
	for _, bad := range []string{"", "mode", "rewrite,mode", "rewrite,mode=polls,nosuch=1", "rewrite,sites=x",
		"rewrite,taps=%zz"} {
		if tag, err := ParseTag(bad); err == nil {
			t.Errorf("ParseTag(%q) = %+v, want an error", bad, tag)
		}
	}
}

// What changes the code of packages changes their tags, so that the go command does not take other code from its
// cache. What says where things are does not.
func TestTagsDifferIfCodeDoes(t *testing.T) {
	plain := Plan{Mode: Polls}
	tagOf := func(p Plan) string { return p.Tag("0123", "4567").Arg() }
	for name, change := range map[string]func(p *Plan){
		"mode":     func(p *Plan) { p.Mode = Exact },
		"cover":    func(p *Plan) { p.Mode = Cover },
		"windows":  func(p *Plan) { p.Mode = Windows },
		"truncate": func(p *Plan) { p.Truncate = "join" },
		"order":    func(p *Plan) { p.Order = "coldest" },
		"without":  func(p *Plan) { p.Without = "polls" },
		"dump":     func(p *Plan) { p.Dump = "/d" },
		"bisect":   func(p *Plan) { p.Bisect = "01" },
		"taps":     func(p *Plan) { p.Taps.Kinds = "ops" },
		"funcs":    func(p *Plan) { p.Taps.Funcs = "f" },
		"ranges":   func(p *Plan) { p.Taps.Ranges = "x.go" },
		"sites":    func(p *Plan) { p.Taps.Sites = 1 },
	} {
		p := plain
		if change(&p); tagOf(p) == tagOf(plain) {
			t.Errorf("%s: the tag is the same, %s", name, tagOf(p))
		}
	}
	moved := plain
	moved.Places = Places{"go1.27", "/c", "/l", []string{"m/c"}, "/g", "/d", 3, "/p"}
	if moved.Packages = []string{"all"}; tagOf(moved) != tagOf(plain) {
		t.Errorf("places change the tag from %s to %s", tagOf(plain), tagOf(moved))
	}
	if plain.Tag("0124", "4567") == plain.Tag("0123", "4567") || plain.Tag("0123", "4568") == plain.Tag("0123", "4567") {
		t.Error("another instrumenter or compiler does not change the tag")
	}
}

func TestNumbering(t *testing.T) {
	for _, test := range []struct {
		tag  Tag
		want pathnum.Options
	}{
		{Tag{Mode: Polls}, pathnum.Options{}},
		{Tag{Mode: Cover}, pathnum.Options{Truncate: pathnum.Rest}},
		{Tag{Truncate: "backedge"}, pathnum.Options{Truncate: pathnum.BackEdge}},
		{Tag{Truncate: "join", Order: "coldest"}, pathnum.Options{Truncate: pathnum.Join, Order: pathnum.Coldest}},
	} {
		if got := test.tag.Numbering(); got != test.want {
			t.Errorf("%v: %+v, want %+v", test.tag, got, test.want)
		}
	}
}

// The build tags are those that the files of the runtime have.
func TestBuildTags(t *testing.T) {
	for _, test := range []struct {
		plan Plan
		want string
	}{
		{Plan{Mode: Windows}, "pepwindows"},
		{Plan{Mode: Polls}, ""},
		{Plan{Mode: Polls, Without: "polls"}, "peppart"},
		{Plan{Mode: Exact}, "pepexact"},
		{Plan{Mode: Cover}, "pepexact pepcover"},
		{Plan{Mode: TapsAlone, Taps: Taps{Kinds: "loads"}}, "peptaps"},
		{Plan{Mode: Exact, Taps: Taps{Kinds: "loads,goroutines"}}, "pepexact peptaps pepgoroutines"},
	} {
		if got := strings.Join(test.plan.BuildTags(), " "); got != test.want {
			t.Errorf("%+v: %s, want %s", test.plan, got, test.want)
		}
	}
}

// FuzzTag checks that a tag that has been parsed and written parses as the same tag.
func FuzzTag(f *testing.F) {
	f.Add("rewrite,mode=polls,tool=5d0c,taps=loads%2Cstores,funcs=%5Emain,range=x.go%3A1-2,sites=7,dump=%2Fa+dir%2Fwith%2Cdump")
	f.Add("branches,tool=0,compiler=1")
	f.Add("rewrite,mode=%zz")
	f.Add("rewrite,mode=a%2Cb,truncate=%25,tool=%2Cdump%3D")
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := ParseTag(s)
		if err != nil {
			return
		}
		tag.Taps.Options() // an error or not
		again, err := ParseTag(tag.String())
		if err != nil || again != tag {
			t.Errorf("%q is %+v and is written as %q, which is %+v, %v", s, tag, tag, again, err)
		}
	})
}

// FuzzPlan checks that a plan that has been read and written is read as the same plan.
func FuzzPlan(f *testing.F) {
	for _, p := range plans {
		_, text, _ := strings.Cut(p.Environment(), "=")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var p, again Plan
		if json.Unmarshal([]byte(s), &p) != nil {
			return
		}
		_, text, _ := strings.Cut(p.Environment(), "=")
		if err := json.Unmarshal([]byte(text), &again); err != nil || !reflect.DeepEqual(p, again) {
			t.Errorf("%s is read as %+v, and that as %+v, %v", s, p, again, err)
		}
	})
}
