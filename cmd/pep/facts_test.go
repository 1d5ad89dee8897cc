package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile/proftest"
)

const sampledPaths = `profile paths estimated
comment "#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu ticks=3 samples=190 dropped=2 equal_bursts=100 ticks_placed=3 ticks_outside=2 ticks_outside_in/runtime=2"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
path func=main.f at=/x.go:10 path=p0 end=12 count=5000 flow=5000 samples=4 variance=250000 from=entry lines=10 branches="11:2 if true" callers=""
path func=main.f at=/x.go:10 path=p1 end=12 count=5000 flow=5000 samples=6 variance=1000000 from=entry lines=10 branches="11:2 if false" callers=""
`

// Pep refuses profiles that it may misunderstand. It names both versions and says what to do.
func TestOtherVersionsAreRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.71.paths.pb.gz")
	for comment, want := range map[string]string{
		`comment "#pep.version=2 mode=exact certainty=9"`: ": the profile is of version 2, and this pep reads version 1: read it with the pep that belongs to the pepbuild which built the program, " +
			"or build the program with the pepbuild that belongs to this pep and run it again\n",
		`comment "#pep.version=2"` + "\n" + `profile routes/count b/count c/count d/count e/count`: ": the profile is of version 2, and this pep reads version 1: ",
		`comment "#pep.version=0"`: ": the profile is of version 0, and this pep reads version 1: ",
	} {
		data, err := proftest.Encode(strings.Replace(sampledPaths, "profile paths estimated\n",
			"profile paths estimated\n"+comment+"\n", 1))
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		refused(t, name, want)
	}
	// As a tool that drops comments writes them.
	p, err := proftest.Parse(sampledPaths)
	if err != nil {
		t.Fatal(err)
	}
	p.Comments = nil
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, name, ": no comment of the profile begins with #pep.version=, so another tool has made this file of a profile: ")
}

func refused(t *testing.T, name, want string) {
	t.Helper()
	for _, verb := range []string{"top", "dump", "pgo -o " + name + ".sum", "merge -o " + name + ".sum"} {
		var stdout, stderr bytes.Buffer
		code := pep.Run(append(strings.Fields(verb), name), strings.NewReader(""), &stdout, &stderr)
		if code != 1 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "pep: "+name+want) {
			t.Errorf("%s: exit code %d, %s%s", verb, code, &stdout, &stderr)
		}
	}
	if _, err := os.Stat(name + ".sum"); err == nil {
		t.Error("pep has written a file")
	}
}
