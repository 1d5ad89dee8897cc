package pepfigures

// This file reads what pepbench has measured: files of Go benchmark lines, and a table of a page.

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/lab/figure"
)

// plain is the variant that times are divided by.
const plain = "plain"

// measure reads all files of lines, and the page of profiles for the compiler.
func measure(env *figure.Env, m *figure.Measured) error {
	names, err := filepath.Glob(filepath.Join(env.Lines, "*.txt"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no file %s: make paper-pep measures and writes them", filepath.Join(env.Lines, "*.txt"))
	}
	for _, name := range names {
		if err := readLines(name, m); err != nil {
			return err
		}
	}
	return readPage(filepath.Join(env.Results, "pgo.md"), "CPU time", "pgo", m)
}

// runs are CPU times of a program's variants: by program, variant and layout.
type runs map[string]map[string]map[string][]float64

func (r runs) add(program, variant, layout string, x float64) {
	if r[program] == nil {
		r[program] = make(map[string]map[string][]float64)
	}
	if r[program][variant] == nil {
		r[program][variant] = make(map[string][]float64)
	}
	r[program][variant][layout] = append(r[program][variant][layout], x)
}

// readLines reads a file of lines, whose name is that of its session. Of the runs of a layout the least counts.
func readLines(name string, m *figure.Measured) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	session := strings.TrimSuffix(filepath.Base(name), ".txt")
	times, executed := make(runs), make(map[string]map[string]float64)
	heads := make(map[string]bool)
	r := benchfmt.NewReader(in, name)
	for r.Scan() {
		var line *benchfmt.Result
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return rec
		case *benchfmt.Result:
			line = rec
		default:
			continue
		}
		base, parts := line.Name.Parts()
		key := make(map[string]string)
		for _, p := range parts {
			k, v, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "=")
			key[k] = v
		}
		program, variant, workload := key["program"], key["variant"], line.GetConfig("workload")
		if string(base) == "Addition" { // of no program
			for _, v := range line.Values {
				m.Add("addition/"+variant, 1e9*v.Value)
			}
			continue
		}
		if program == "" || workload == "" {
			return fmt.Errorf("%s: %s: want a program, and the workload above it", name, line.Name)
		}
		heads[fmt.Sprintf("%s: commit %s, workload %s", session, line.GetConfig("commit"), workload)] = true
		for _, v := range line.Values {
			switch string(base) {
			case "Run":
				if v.Unit == "cpu-sec/op" {
					times.add(program, variant, key["layout"], v.Value)
				}
			case "Build":
				m.Add("build/"+program+"/"+variant, v.Value)
			case "Accuracy":
				x := v.Value
				if v.Unit != "samples" && v.Unit != "ticks" {
					x *= 100
				}
				m.Add(strings.Join([]string{"accuracy", workload, program, variant, v.Unit}, "/"), x)
			case "Exact":
				m.Set(strings.Join([]string{"exact", program, variant, v.Unit}, "/"), v.Value)
			case "OneTime":
				m.Add("one-time/"+program+"/"+v.Unit, 100*v.Value)
			case "Instructions":
				if executed[program] == nil {
					executed[program] = make(map[string]float64)
				}
				executed[program][variant] = v.Value
			default:
				return fmt.Errorf("%s: nothing is known of lines %s", name, base)
			}
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	m.Header = append(m.Header, slices.Sorted(maps.Keys(heads))...)
	for program, builds := range executed {
		for build, n := range builds {
			if build != plain {
				m.Add("instructions/"+program+"/"+build, n/builds[plain])
			}
		}
	}
	return times.ratios(session, m)
}

// ofBuilds is the session that times builds, and just one run of each program.
const ofBuilds = "builds"

// ratios keeps the least time of each variant, and by layout what it is divided by that of the plain program.
func (r runs) ratios(session string, m *figure.Measured) error {
	for program, variants := range r {
		if variants[plain] == nil {
			return fmt.Errorf("%s: %s has no plain runs", session, program)
		}
		for variant, layouts := range variants {
			least := math.Inf(1)
			for _, layout := range slices.Sorted(maps.Keys(layouts)) {
				x := slices.Min(layouts[layout])
				least = min(least, x)
				if base := variants[plain][layout]; variant != plain && base != nil && session != ofBuilds {
					m.Add(strings.Join([]string{"time", session, program, variant}, "/"), x/slices.Min(base))
				}
			}
			m.Add(strings.Join([]string{"seconds", session, program, variant}, "/"), least)
		}
	}
	return nil
}

// word makes of the name of a variant what it is in lines.
var word = strings.NewReplacer(", ", "+", " ", "_", "/", "-")

var commitOf = regexp.MustCompile(`,\s+commit\s+([0-9a-f]+(-dirty)?)\.`)

// readPage reads the ratios of programs in a table of a page that pepbench has written.
func readPage(file, heading, session string, m *figure.Measured) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: make pgo writes it", err)
	}
	if err != nil {
		return err
	}
	page := string(data)
	commit := commitOf.FindStringSubmatch(page)
	_, section, found := strings.Cut(page, "\n## "+heading+"\n")
	if !found || commit == nil {
		return fmt.Errorf("%s: want a commit, and a part %q", file, heading)
	}
	m.Header = append(m.Header, session+".md: commit "+commit[1])
	var heads []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|") && heads != nil:
			return nil
		case !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-"):
		case heads == nil:
			heads = cells
		case cells[1] == "": // means
			return nil
		case len(cells) != len(heads):
			return fmt.Errorf("%s: %q: want %d cells", file, line, len(heads))
		default:
			for i, head := range heads[2:] {
				x, err := strconv.ParseFloat(cells[i+2], 64)
				if err != nil {
					return fmt.Errorf("%s: %s: %q is no ratio", file, cells[0], cells[i+2])
				}
				m.Add(strings.Join([]string{"time", session, cells[0], word.Replace(head)}, "/"), x)
			}
		}
	}
	return fmt.Errorf("%s: %q has no table", file, heading)
}
