package gobuild

// This file has the runtime compiled that is linked into programs.

import (
	"slices"

	"github.com/pepgo/pep/gobuild/internal/linked"
	"github.com/pepgo/pep/gobuild/internal/plan"
)

// linkRuntime compiles the linked runtime, and returns the name of the file that names its archives. It is compiled
// against std as this build compiles it, so that no package of std is compiled twice: with the tags that packages have.
func (b *build) linkRuntime(cache, exe string, tags map[string]plan.Tag) (string, error) {
	cfg := &linked.Config{
		Go:       b.goCmd,
		Compiler: b.compiler.Path,
		Env:      b.env,
		Shared:   b.shared(),
		Tags:     b.args.BuildTags(),
		CacheDir: cache,
	}
	imports, err := cfg.Imports()
	if err != nil {
		return "", err
	}
	cfg.ListFlags = b.args.listFlags()
	windows := b.args.Mode == plan.Windows
	if b.args.Taps.Kinds != "" || windows {
		self, err := quoted(exe)
		if err != nil {
			return "", err
		}
		cfg.ListFlags = append(cfg.ListFlags, toolexecFlag(self))
		cfg.ListEnv = b.toolEnv()
	}
	for _, p := range b.deps { // what the imports of the linked runtime import
		if windows && p.Standard && !slices.Contains(imports, p.path()) {
			imports = append(imports, p.path())
		}
	}
	// -gcflags without a pattern hold for the packages that the user names. To go
	// list we name others, so each of those gets its flags by name.
	cfg.ListFlags = append(cfg.ListFlags, b.gcflags(imports, tags)...)
	for _, name := range []string{"json", "n"} { // go list takes them for something else
		if isOn(b.given.GoFlags, name) {
			cfg.ListFlags = append(cfg.ListFlags, "-"+name+"=false")
		}
	}
	return linked.Build(cfg)
}

// shared reports whether the go command compiles position-independent code.
func (b *build) shared() bool {
	mode, _ := last(b.flags(), "buildmode")
	switch goos := b.env["GOOS"]; mode {
	case "", "default":
		return slices.Contains([]string{"android", "darwin", "ios"}, goos)
	case "pie":
		return goos != "aix" && goos != "windows"
	}
	return false
}
