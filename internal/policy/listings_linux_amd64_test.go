package policy

import "github.com/pepgo/pep/internal/tracer/probe/table"

// The tracer is for linux/amd64 alone.
func init() {
	listings = append(listings, namedListing{"peptrace probe", &table.Table{}})
}
