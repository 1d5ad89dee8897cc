package core

// This file says where the profiles are.

import "github.com/pepgo/pep/runtime/options"

// say is when this program says which profiles it has written: options.SayOnTerminal and others.
var say uint32

// sayWritten says which profiles of a stem have been written:
//
//	pep: wrote prog.4711.T.{paths,edges}.pb.gz; pep top shows what is in them
//
// What is in braces is a pattern of shells.
func sayWritten(stem string, kinds []string) {
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
