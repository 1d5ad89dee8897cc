package torture

// This file runs the test suites of modules that many people use.

import (
	"errors"
	"path/filepath"

	"github.com/pepgo/pep/lab/gomodule"
)

// A module is a Go module whose tests are run.
type module struct {
	path, version string
	what          string
	packages      []string // patterns; ./... if nil
	short         bool     // in the short run, too
}

// modules are chosen because of the code in them.
var modules = []module{
	{path: "github.com/cespare/xxhash/v2", version: "v2.3.0", what: "assembly", short: true},
	{path: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7", what: "generics",
		packages: []string{".", "./simplelru"}, short: true},
	{path: "github.com/yuin/gopher-lua", version: "v1.1.2", what: "an interpreter",
		packages: []string{".", "./ast", "./parse", "./pm"}},
	{path: "github.com/google/btree", version: "v1.1.3", what: "generics, randomized"},
	{path: "github.com/golang/snappy", version: "v1.0.0", what: "assembly"},
	{path: "github.com/klauspost/compress", version: "v1.20.3", what: "compression with assembly",
		packages: []string{"./flate", "./gzip", "./huff0", "./fse", "./s2", "./snappy", "./zlib", "./zstd"}},
	{path: "github.com/dop251/goja", version: "v0.0.0-20260917113740-793a2a65c13b", what: "an interpreter"},
	{path: "github.com/tetratelabs/wazero", version: "v1.12.0", what: "a compiler that runs what it makes",
		packages: []string{".", "./api", "./internal/engine/interpreter", "./internal/engine/wazevo/...",
			"./internal/wasm/..."}},
	{path: "go.etcd.io/bbolt", version: "v1.5.0", what: "a database, mmap"},
	{path: "google.golang.org/protobuf", version: "v1.36.12", what: "reflection, unsafe",
		packages: []string{"./proto", "./reflect/...", "./encoding/...", "./internal/impl", "./types/..."}},
	{path: "github.com/go-chi/chi/v5", version: "v5.5.0", what: "a router"},
	{path: "go.uber.org/zap", version: "v1.28.0", what: "a logger that counts allocations"},
	{path: "github.com/rs/zerolog", version: "v1.35.1", what: "a logger"},
	{path: "gopkg.in/yaml.v3", version: "v3.0.1", what: "a parser with large functions"},
	{path: "mvdan.cc/sh/v3", version: "v3.14.1", what: "a parser, a printer and an interpreter of shell scripts",
		packages: []string{"./syntax/...", "./pattern", "./expand", "./fileutil"}},
	{path: "github.com/yuin/goldmark", version: "v1.8.7", what: "Markdown, plug-ins behind interfaces"},
	{path: "github.com/tidwall/gjson", version: "v1.20.0", what: "unsafe strings"},
	{path: "github.com/gorilla/websocket", version: "v1.5.3", what: "network"},
	{path: "github.com/BurntSushi/toml", version: "v1.6.0", what: "reflection"},
	{path: "github.com/spf13/pflag", version: "v1.0.10", what: "many small types"},
	{path: "github.com/DataDog/zstd", version: "v1.5.7", what: "cgo"},
	{path: "github.com/mattn/go-sqlite3", version: "v1.14.53", what: "cgo, callbacks from C"},
	{path: "github.com/RoaringBitmap/roaring/v2", version: "v2.30.0", what: "bitmaps, assembly, unsafe"},
	{path: "github.com/expr-lang/expr", version: "v1.17.8", what: "a compiler and a virtual machine",
		packages: []string{".", "./ast", "./builtin", "./checker/...", "./compiler", "./conf", "./file", "./optimizer",
			"./parser/...", "./patcher/...", "./test/...", "./types", "./vm/..."}},
	{path: "github.com/alecthomas/chroma/v2", version: "v2.27.0", what: "regular expressions"},
	{path: "github.com/shopspring/decimal", version: "v1.6.0", what: "big numbers"},
	{path: "github.com/dgraph-io/ristretto/v2", version: "v2.4.2", what: "a concurrent cache"},
	{path: "github.com/google/go-cmp", version: "v0.7.0", what: "reflection, panics"},
	{path: "github.com/d5/tengo/v2", version: "v2.17.0", what: "an interpreter"},
	{path: "github.com/golang/geo", version: "v0.0.0-20260818125358-b200a1149890", what: "floating point"},
	{path: "github.com/panjf2000/ants/v2", version: "v2.12.1", what: "many goroutines"},
}

// moduleExceptions are tests that end otherwise, with the reason.
var moduleExceptions = map[string]string{
	"taps github.com/cespare/xxhash/v2/dynamic TestDynamic": "opens a plugin that it has built by the go command: a program with taps has a field more in package runtime",
}

func modulesCases(e *Env) (cases []Case, err error) {
	for _, m := range modules {
		if e.Short && !m.short {
			continue
		}
		cases = append(cases, Case{m.path + "@" + m.version, func(e *Env, r *Result) { e.module(r, &m) }})
	}
	return cases, nil
}

// module compares the tests of a module.
func (e *Env) module(r *Result, m *module) {
	r.Note = m.what
	dir := filepath.Join(e.Work, "module")
	if err := gomodule.Copy(m.path+"@"+m.version, dir); errors.Is(err, gomodule.ErrDownload) {
		r.skip("%v", err)
		return
	} else if err != nil {
		r.fail("%v", err)
		return
	}
	s := &suite{
		dir:      dir,
		goflags:  "-mod=mod -buildvcs=false",
		packages: m.packages,
		profiled: m.path + "/...",
		except:   moduleExceptions,
	}
	if s.packages == nil {
		s.packages = []string{"./..."}
	}
	s.compare(e, r)
}
