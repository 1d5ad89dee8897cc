package policy

import "github.com/pepgo/pep/tracer"

// The tracer is for linux/amd64 alone.
func init() {
	reflected["peptrace probe"] = &tracer.ProbeTable{}
	reflected["peptrace values"] = &tracer.ValuesTable{}
	reflected["peptrace list"] = &tracer.ListTable{}
	reflected["peptrace find"] = &tracer.FindTable{}
}
