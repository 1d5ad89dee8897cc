package toolexec

// This file shows which expressions of a package are tapped, and which are skipped,
// with the reasons.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument"
)

// listTaps writes a list of a package's taps to a file, if any were asked for.
func listTaps(res *instrument.Result, name string) error {
	if res.Taps == nil {
		return nil
	}
	var b strings.Builder
	base := tuple.SiteBase(res.Sites.Path)
	for i, t := range res.Sites.Taps {
		fmt.Fprintf(&b, "%#x %s:%d:%d %s %s %s: %s\n", base+uint64(i), res.Sites.Files[t.File], t.Line, t.Col,
			tuple.Tag(t.Tag), t.Func, t.Expr, t.Type)
	}
	var skipped []string
	for s, exprs := range res.Taps.Skipped {
		skipped = append(skipped, fmt.Sprintf("not tapped: %s: %s: %d\n", s.Tag, s.Reason, len(exprs)))
	}
	slices.Sort(skipped)
	b.WriteString(strings.Join(skipped, ""))
	return os.WriteFile(name, []byte(b.String()), 0o666)
}
