//go:build !peplinked

package hwsim

import "embed"

// Source is the source of this package and all below it. What runtime/taps
// imports of it is linked into programs with taps. Package runtime has the rest.
//
//go:embed *.go */*.go */*/*.go
var Source embed.FS
