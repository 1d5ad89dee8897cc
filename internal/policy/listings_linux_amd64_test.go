package policy

import "github.com/pepgo/pep/tracer"

// The tracer is for linux/amd64 alone.
func init() {
	listings = append(listings,
		namedListing{"peptrace probe", &tracer.ProbeTable{}},
		namedListing{"peptrace values", &tracer.ValuesTable{}},
		namedListing{"peptrace list", &tracer.ListTable{}},
		namedListing{"peptrace find", &tracer.FindTable{}},
	)
}
