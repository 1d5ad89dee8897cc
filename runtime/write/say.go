package write

// This file says where the profiles are.

import "github.com/pepgo/pep/runtime/options"

// sayWritten says which profiles of a stem have been written, if say, which is options.SayOnTerminal or another, says
// so:
//
//	pep: wrote prog.4711.T.{paths,edges}.pb.gz; pep top shows what is in them
//
// What is in braces is a pattern of shells.
func sayWritten(stem string, kinds []string, say uint32) {
	if len(kinds) == 0 || say == options.SayNever || say == options.SayOnTerminal && !onTerminal() {
		return
	}
	list, verb := "", "values"
	for i, k := range kinds {
		if k == "paths" {
			verb = "top"
		}
		if i > 0 {
			list += ","
		}
		list += k
	}
	if len(kinds) > 1 {
		list = "{" + list + "}"
	}
	print("pep: wrote ", fromHere(stem), ".", list, ".pb.gz; pep ", verb, " shows what is in them\n")
}
