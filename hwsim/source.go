//go:build !peplinked

package hwsim

import "embed"

// Source is the source of what can be linked into instrumented programs: this
// package and strat below it. Package runtime has the rest.
//
//go:embed *.go strat/*.go
var Source embed.FS
