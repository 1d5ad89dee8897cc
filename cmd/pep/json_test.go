package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/command/commandtest"
)

// TestJSON checks that a verb prints the same data as text and as JSON. It makes the rows
// that the text must have from the JSON, by fmt.
func TestJSON(t *testing.T) {
	commandtest.Listings(t, &pep, makeExample, []commandtest.Listing{
		{Line: "top -n 0 exact.70.paths.pb.gz", Rows: topRows},
		{Line: "top -n 3 -count app.71.paths.pb.gz", Rows: topRows},
		{Line: "list . app.71.edges.pb.gz", Rows: listRows},
		{Line: "cover cover.74.paths.pb.gz", Rows: coverRows},
		{Line: "cold app.cold", Rows: coldRows},
		{Line: "values -n 2 app.71.values.pb.gz", Rows: valueRows},
		{Line: "values app.71.types.pb.gz", Rows: valueRows},
		{Line: "values app.71.calltargets.pb.gz", Rows: valueRows},
		{Line: "values app.72.values.pb.gz", Rows: valueRows},
		{Line: "ranges app.72.values.pb.gz", Rows: rangeRows},
		{Line: "ranges -phi 4 -cover 50 app.72.values.pb.gz", Rows: rangeRows},
		{Line: "sites app", Rows: siteRows},
		{Line: "sites -all app", Rows: siteRows},
		{Line: "sites pick.table", Rows: branchRows},
		{Line: "sites -all pick.table", Rows: branchRows},
		{Line: "accuracy exact.70.paths.pb.gz app.71.paths.pb.gz", Rows: accuracyRows},
		{Line: "pgo -o default.pgo -n 0 app.71.paths.pb.gz", Rows: pgoRows},
		{Line: "dump exact.70.paths.pb.gz", Rows: dumpRows},
		{Line: "dump app.71.edges.pb.gz", Rows: dumpRows},
		{Line: "dump app.71.calltargets.pb.gz", Rows: dumpRows},
		{Line: "dump app.72.values.pb.gz", Rows: dumpRows},
	})
}

func topRows(o commandtest.Object) (rows []string) {
	rows = append(rows, fmt.Sprintf("%s: %d paths in %d functions, count %d, flow %d",
		o.At("profile").Text("program"), o.Int("paths"), o.Int("functions"), o.Int("count"), o.Int("flow")))
	rows = append(rows, fmt.Sprintf("# %s%% count path", o.Text("order")))
	for _, r := range o.All("rows") {
		rows = append(rows,
			fmt.Sprintf("%d %.2f%% %d %s·%s", r.Int("rank"), 100*r.Float("share"), r.Int("count"), r.Text("function"),
				r.Text("path")),
			fmt.Sprintf("%s:%s from %s", r.Text("file"), r.Text("lines"), r.Text("from")))
		last := int64(0)
		for _, b := range r.All("branches") {
			row := fmt.Sprintf("%d:%d %s %s", b.Int("line"), b.Int("column"), b.Text("kind"), b.Text("outcome"))
			if b.Int("line") != last {
				row += " " + b.Text("source")
			}
			last = b.Int("line")
			rows = append(rows, row)
		}
	}
	return rows
}

func coldRows(o commandtest.Object) (rows []string) {
	size := o.At("size")
	rows = append(rows, fmt.Sprintf("%s, watched for %v, %d blocks, of which %d ran", o.Text("program"),
		time.Duration(o.Float("watched")*1e9), o.Int("blocks"), o.Int("blocks_ran")),
		fmt.Sprintf("never ran: %d of %d functions, %d of %d lines, %d of %d bytes of code", size.Int("functions_never"),
			size.Int("functions"),
			size.Int("lines_never"), size.Int("lines"), size.Int("bytes_never"), size.Int("bytes")))
	for _, p := range o.All("packages") {
		s := p.At("size")
		rows = append(rows, fmt.Sprintf("%d %d %d %d %s", s.Int("lines_never"), s.Int("lines"), s.Int("bytes_never"),
			s.Int("bytes"), p.Text("package")))
		for _, f := range p.All("functions") {
			s := f.At("size")
			what := "not called"
			if f.Text("state") == "ran" {
				what = ""
				for _, r := range f.All("ranges") {
					if r.Text("state") == "never" {
						what = fmt.Sprint(r.Int("from"))
					}
				}
			}
			rows = append(rows, fmt.Sprintf("%d of %d lines %d bytes %s %s:%d %s", s.Int("lines_never"), s.Int("lines"),
				s.Int("bytes_never"), strings.TrimPrefix(f.Text("function"), p.Text("package")+"."), f.Text("file"), f.Int("line"),
				what))
		}
	}
	return rows
}

func pgoRows(o commandtest.Object) (rows []string) {
	sum := int64(0)
	calls := []string{"weight% weight count call"}
	for _, r := range o.All("rows") {
		sum += r.Int("weight")
		calls = append(calls, fmt.Sprintf("%.2f%% %d %d %s %s:%d calls %s", 100*r.Float("share"), r.Int("weight"),
			r.Int("count"),
			r.Text("caller"), r.Text("file"), r.Int("line"), r.Text("callee")))
	}
	rows = append(rows, fmt.Sprintf("%s: %d call of %d to be inlined, with %.2f%% of the weight",
		o.At("profile").Text("program"), o.Int("kept"), o.Int("calls"), 100*float64(sum)/float64(o.Int("weight"))))
	rows = append(rows, fmt.Sprintf("left out: calls too long for inlining, which executed %d lines",
		o.Int("weight_of_long_calls")))
	rows = append(rows, calls...)
	if stale := o.All("stale"); len(stale) > 0 {
		rows = append(rows, "left out, because the source has no such call: was it changed since the program was built?")
		for _, r := range stale {
			rows = append(rows, fmt.Sprintf("%s %s:%d calls %s", r.Text("caller"), r.Text("file"), r.Int("line"),
				r.Text("callee")))
		}
	}
	return rows
}

func listRows(o commandtest.Object) (rows []string) {
	for _, f := range o.All("functions") {
		rows = append(rows, fmt.Sprintf("%s %s:%d, %d branches, decided %d times",
			f.Text("function"), f.Text("file"), f.Int("start_line"), f.Int("branches"), f.Int("decided")))
		rows[len(rows)-1] = strings.ReplaceAll(rows[len(rows)-1], " 1 branches", " 1 branch")
		rows = append(rows, "count share line")
		for _, l := range f.All("lines") {
			row := fmt.Sprint(l.Int("line"), " ", l.Text("source"))
			if l.Text("state") == "seen" {
				row = fmt.Sprint(l.Int("reconciled"), " ", row)
			}
			rows = append(rows, row)
			for _, b := range l.All("branches") {
				sum := int64(0)
				for _, x := range b.All("outcomes") {
					sum += x.Int("count")
					rows = append(rows, fmt.Sprintf("%d %.2f%% ^ %s %s", x.Int("count"), 100*x.Float("share"), b.Text("kind"),
						x.Text("outcome")))
				}
				if sum != b.Int("count") {
					rows = append(rows, fmt.Sprintf("a branch of %d times with outcomes of %d", b.Int("count"), sum))
				}
			}
			for _, s := range l.All("sites") {
				for _, v := range s.All("values") {
					rows = append(rows, fmt.Sprintf("%.2f%% %d:%d %s %s", 100*v.Float("share"), l.Int("line"), s.Int("column"),
						s.Text("kind"), strings.TrimPrefix(v.Text("value"), "main.")))
				}
			}
		}
	}
	return rows
}

func coverRows(o commandtest.Object) (rows []string) {
	rows = append(rows, "package statements branches mc/dc")
	part := func(n, all int64) string { return fmt.Sprintf("%.1f%% %d/%d", 100*float64(n)/float64(all), n, all) }
	for _, p := range append(o.All("packages"), o.At("total")) {
		rows = append(rows, fmt.Sprintf("%s %s %s %s", p.Text("package"), part(p.Int("executed"), p.Int("statements")),
			part(p.Int("taken"), p.Int("outcomes")), part(p.Int("shown"), p.Int("conditions"))))
	}
	for _, f := range o.All("functions") {
		rows = append(rows, fmt.Sprintf("%s %s:%d", f.Text("function"), f.Text("file"), f.Int("start_line")))
		for _, g := range f.All("gaps") {
			switch g.Text("kind") {
			case "outcome":
				rows = append(rows, fmt.Sprintf("%d:%d %s never, of %d %s", g.Int("line"), g.Int("column"), g.Text("text"),
					g.Int("count"), g.Text("source")))
			case "condition":
				rows = append(rows, fmt.Sprintf("%s: want %s", g.Text("text"), g.Text("want")))
			}
		}
	}
	return rows
}

func valueRows(o commandtest.Object) (rows []string) {
	plural := func(n int64, thing string) string {
		if n == 1 {
			return "1 " + thing
		}
		return fmt.Sprintf("%d %ss", n, thing)
	}
	about, thing := "", map[string]string{"values": "value", "types": "type",
		"calltargets": "target"}[o.At("profile").Text("kind")]
	exact := o.At("profile")["exact"].(bool)
	if !exact {
		about = "about "
	}
	rows = append(rows, fmt.Sprintf("%s: %s in %s, %s%d events", o.At("profile").Text("program"),
		plural(o.Int("taps"), "tap"), plural(o.Int("functions"), "function"), about, o.Int("events")))
	for _, x := range o.All("specialise") {
		rows = append(rows, fmt.Sprintf("%d %.2f%% %s %s %s %s:%d", x.Int("events"), 100*x.Float("share"), x.Text("kind"),
			x.Text("condition"), x.Text("function"), x.Text("file"), x.Int("line")))
	}
	for _, s := range o.All("sites") {
		rows = append(rows, fmt.Sprintf("%s %s %s %s %s, %s%d events, %s", s.Text("function"),
			s.Text("position")+s.Text("pool"), s.Text("kind"),
			s.Text("expression"), s.Text("type"), about, s.Int("events"), plural(s.Int("distinct"), thing)))
		for _, v := range s.All("rows") {
			text := v.Text("value")
			if v.Text("target_file") != "" {
				text += fmt.Sprintf(" %s:%d", v.Text("target_file"), v.Int("target_line"))
			}
			if s["ranges"].(bool) {
				text = fmt.Sprintf("%d %s", v.Int("within"), text)
			}
			if exact {
				rows = append(rows, fmt.Sprintf("%.2f%% %d %s", 100*v.Float("share"), v.Int("count"), text))
			} else {
				rows = append(rows, fmt.Sprintf("%.2f%% %.2f%% %d %.0f %s", 100*v.Float("share"), 100*v.Float("share_error"),
					v.Int("count"), v.Float("count_error"), text))
			}
		}
		if n := s.Int("more_values"); n > 0 {
			rows = append(rows, fmt.Sprintf("and %s more, %.2f%%", plural(n, thing), 100*s.Float("more_share")))
		}
	}
	return rows
}

func rangeRows(o commandtest.Object) (rows []string) {
	percent := func(x commandtest.Object, name string) string { return fmt.Sprintf("%.2f%%", 100*x.Float(name)) }
	rows = append(rows, fmt.Sprintf("%s: %d events; ranges with at least %s of them", o.At("profile").Text("program"),
		o.Int("events"), percent(o, "hot_share")))
	for _, s := range o.All("sources") {
		what := s.Text("pool")
		if what == "" {
			what = fmt.Sprintf("%s %s %s", s.Text("position"), s.Text("kind"), s.Text("expression"))
		}
		rows = append(rows, fmt.Sprintf("%s %s, %d events (%s), %d ranges, counts at most %d (%.2f%%) too low",
			s.Text("function"), strings.TrimSpace(what+" "+s.Text("type")), s.Int("events"), percent(s, "share"),
			s.Int("ranges"), s.Int("error"), 100*float64(s.Int("error"))/float64(o.Int("events"))))
		for _, r := range s.All("rows") {
			rows = append(rows, strings.TrimSpace(fmt.Sprintf("%s %s %s %d %s %s", percent(r, "weight_share"),
				percent(r, "least_share"), percent(r, "most_share"), r.Int("least"), r.Text("range"), r.Text("where"))))
		}
	}
	if n := o.Int("more_sources"); n > 0 {
		rows = append(rows, strings.Replace(fmt.Sprintf("and %d taps without such a range, %.2f%% of the events", n,
			100*float64(o.Int("more_events"))/float64(o.Int("events"))), "1 taps", "1 tap", 1))
	}
	return rows
}

func branchRows(o commandtest.Object) (rows []string) {
	rows = append(rows, fmt.Sprintf("%s: %d package, %d functions, %d outcomes in %d rows", o.Text("file"),
		o.Int("packages"), o.Int("functions"), o.Int("outcomes"), o.Int("rows")))
	if len(o.All("listed")) == 0 {
		rows = append(rows, fmt.Sprintf("%d outcomes (%.2f%%) cannot be counted", o.Int("uncounted"),
			100*float64(o.Int("uncounted"))/float64(o.Int("outcomes"))))
		for _, c := range o.All("causes") {
			rows = append(rows, fmt.Sprintf("%d %s", c.Int("outcomes"), c.Text("cause")))
		}
		share := func(n int64) string { return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(o.Int("numbered"))) }
		var untold [2]int64
		for _, u := range o.All("untold") {
			if u["all"].(bool) {
				untold[1] += u.Int("functions")
			} else {
				untold[0] += u.Int("functions")
			}
		}
		rows = append(rows, fmt.Sprintf("all paths of %d functions (%s of %d) can be told, some of %d (%s), and none of %d (%s)", o.Int("told"),
			share(o.Int("told")), o.Int("numbered"), untold[0], share(untold[0]), untold[1], share(untold[1])))
		for _, u := range o.All("untold") {
			which := "some paths"
			if u["all"].(bool) {
				which = "no path"
			}
			rows = append(rows, fmt.Sprintf("%d %s %s %s", u.Int("functions"), share(u.Int("functions")), which,
				u.Text("cause")))
		}
	}
	for _, f := range o.All("listed") {
		rows = append(rows, fmt.Sprintf("%s: %d bytes", f.Text("function"), f.Int("size")))
		row := func(pc string, r commandtest.Object) {
			file := r.Text("file")
			rows = append(rows, strings.TrimSpace(fmt.Sprintf("%s %s %s %s:%d:%d %s %s", pc, r.Text("way"), r.Text("outcome"),
				file[strings.LastIndex(file, "/")+1:], r.Int("line"), r.Int("column"), r.Text("inlined"), r.Text("action"))))
		}
		for _, r := range f.All("rows") {
			row(fmt.Sprintf("%#x", r.Int("pc")), r)
		}
		for _, r := range f.All("uncounted") {
			row("uncounted", r)
		}
	}
	return rows
}

func siteRows(o commandtest.Object) (rows []string) {
	counts := func(c commandtest.Object) string {
		s := fmt.Sprintf("%d functions with %d paths, %d skipped", c.Int("functions"), c.Int("paths"), c.Int("skipped"))
		s = strings.NewReplacer("1 functions", "1 function", " 1 paths", " 1 path").Replace(s)
		if n := c.Int("taps"); n > 0 {
			s += fmt.Sprintf(", %d taps", n)
		}
		return s
	}
	rows = append(rows, fmt.Sprintf("%s: build %s, %d packages, %s", o.Text("program"), o.Text("build"),
		len(o.All("packages")), counts(o.At("total"))))
	for _, p := range o.All("packages") {
		rows = append(rows, p.Text("package")+": "+counts(p.At("count")))
		for _, f := range p.All("functions") {
			rows = append(rows, strings.Replace(fmt.Sprintf("%d paths %s %s:%d", f.Int("paths"), f.Text("function"),
				f.Text("file"), f.Int("line")), "1 paths", "1 path", 1))
		}
		for _, f := range p.All("skipped") {
			rows = append(rows, fmt.Sprintf("%s %s %s:%d", f.Text("reason"), f.Text("function"), f.Text("file"), f.Int("line")))
		}
		for _, x := range p.All("taps") {
			rows = append(rows, fmt.Sprintf("%s %s %s %s %s:%d:%d", x.Text("kind"), x.Text("expression"), x.Text("type"),
				x.Text("function"), x.Text("file"), x.Int("line"), x.Int("column")))
		}
		if !o["all"].(bool) {
			for _, k := range p.All("tap_kinds") {
				rows = append(rows, fmt.Sprintf("%d %s", k.Int("taps"), k.Text("kind")))
			}
		}
	}
	return rows
}

func accuracyRows(o commandtest.Object) (rows []string) {
	for _, m := range o.All("metrics") {
		rows = append(rows, fmt.Sprintf("%s %.2f%%", m.Text("metric"), 100*m.Float("accuracy")))
	}
	return append(rows,
		fmt.Sprintf("actual hot paths: %d of %d, %d of them found (a hot path has more than %v%% of the flow)",
			o.Int("hot_paths"), o.Int("paths"), o.Int("found_hot_paths"), 100*o.Float("hot_share")),
		fmt.Sprintf("samples: %d, of %d paths", o.Int("samples"), o.Int("sampled_paths")))
}

// dumpRows ignores the quotes of the text: in the example, only fields with spaces need
// quotes.
func dumpRows(o commandtest.Object) (rows []string) {
	p := o.At("profile")
	rows = append(rows, "profile "+p.Text("kind"), "binary "+p.Text("program"), "build "+p.Text("build"),
		fmt.Sprintf("period %d %s/%s", p.Int("period"), p.Text("period_type"), p.Text("period_unit")))
	callers := func(x commandtest.Object) string {
		var list []string
		for _, c := range x.All("callers") {
			list = append(list, fmt.Sprintf("%s %s:%d", c.Text("function"), c.Text("file"), c.Int("line")))
		}
		return strings.Join(list, "; ")
	}
	for _, x := range o.All("paths") {
		var branches []string
		for _, b := range x.All("branches") {
			branches = append(branches, fmt.Sprintf("%d:%d %s %s", b.Int("line"), b.Int("column"), b.Text("kind"),
				b.Text("outcome")))
		}
		rows = append(rows, fmt.Sprintf("path func=%s at=%s:%d path=%s end=%d count=%d flow=%d from=%s lines=%s branches=%s callers=%s",
			x.Text("function"), x.Text("file"), x.Int("start_line"), x.Text("path"), x.Int("end_line"), x.Int("count"),
			x.Int("flow"),
			x.Text("from"), x.Text("lines"), strings.Join(branches, "; "), callers(x)))
	}
	for _, x := range o.All("edges") {
		rows = append(rows, fmt.Sprintf("edge func=%s at=%s:%d branch=%s kind=%s outcome=%s line=%d count=%d callers=%s",
			x.Text("function"), x.Text("file"), x.Int("start_line"), x.Text("branch"), x.Text("kind"), x.Text("outcome"),
			x.Int("line"), x.Int("count"), callers(x)))
	}
	for _, x := range o.All("words") {
		place, target, words := "site="+x.Text("site"), "", ""
		if x.Text("pool") != "" {
			place = fmt.Sprintf("pool=%s line=%d", x.Text("pool"), x.Int("line"))
		}
		if p.Text("kind") == "calltargets" {
			target = fmt.Sprintf("%s:%d", x.Text("target_file"), x.Int("target_line"))
		}
		if x.Text("words") != "" {
			words = " words=" + x.Text("words")
		}
		if x.Text("low") != "" {
			words += " low=" + x.Text("low") + " high=" + x.Text("high")
		}
		if x["address"].(bool) {
			words += " form=address"
		}
		rows = append(rows, fmt.Sprintf("word func=%s at=%s:%d %s kind=%s expr=%s type=%s value=%s%s target=%s count=%d messages=%d",
			x.Text("function"), x.Text("file"), x.Int("start_line"), place, x.Text("kind"), x.Text("expression"), x.Text("type"),
			x.Text("value"), words, target, x.Int("count"), x.Int("messages")))
	}
	return rows
}

// Errors go to the standard error, with and without -json, and nothing goes to the standard
// output.
func TestErrorsWithJSON(t *testing.T) {
	dir := t.TempDir()
	if err := makeExample(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Rename("app.71.edges.pb.gz", "alone.edges.pb.gz"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"top -json missing.paths.pb.gz", 1, "pep: missing.paths.pb.gz: no such file"},
		{"top -json alone.edges.pb.gz", 1, "pep: alone.edges.pb.gz: counts edges, but paths are needed"},
		{"merge -json -o x app.71.paths.pb.gz", 2,
			"pep: merge: -json: pep merge does not print a listing; these do: top, list, cover, cold, values, ranges, sites, accuracy, pgo, dump\n"},
		{"version -json", 2, "pep: version: -json: pep version does not print a listing"},
	} {
		var stdout, stderr bytes.Buffer
		code := pep.Run(strings.Fields(c.line), nil, &stdout, &stderr)
		if code != c.code || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), c.want) {
			t.Errorf("pep %s: got %d, %q, %q, want %d, nothing, %q", c.line, code, &stdout, &stderr, c.code, c.want)
		}
	}
}
