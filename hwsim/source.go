//go:build !peplinked

package hwsim

import "embed"

// Source is the source of this package and all below it. What runtime/taps imports of it is linked into programs with
// taps. Package runtime has the rest. Files whose names end in test.go are left out.
//
//go:embed *[^t].go *[^s]t.go */*[^t].go */*[^s]t.go */*[^e]st.go */*/*[^t].go */*/*[^s]t.go */*/*[^e]st.go
var Source embed.FS
