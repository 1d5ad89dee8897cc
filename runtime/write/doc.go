// Package write writes profiles: in the program at its end, or in another process. Package core calls it.
//
// A process that has been started to write profiles does only that. Otherwise the program says what it counts in, and
// makes its companion, a process that lives as long as the program:
//
//	write.IfAsked(args, env) // does not return if the process is to write profiles
//	program := write.Program{Counts: counts, File: "/tmp/prog.4711.T.pep", …}
//	problem := companion.Start(&program, env)
//
// At its end, the program asks the companion whether it may write the profiles itself. If not, or if the program
// dies, the companion runs the writer, a process of the same binary, which reads the .pep file:
//
//	if ask(write.AskInspect) == write.AnswerWrite {
//		program.Write(nil, func() bool { return ask(write.AskWrite) == write.AnswerDone })
//	}
//
// Package core has the function ask, which is assembly, because signal handlers call it. The profiles lie beside the
// .pep file, as they do when a user starts the program to write them:
//
//	$ PEP_WRITE=prog.4711.T.pep ./prog
//	pep: wrote prog.4711.T.{paths,edges}.pb.gz; pep top shows what is in them
//
// Package convert makes the profiles of the counts. Systems other than linux/amd64 have no companion and no .pep file:
// there the program writes the profiles itself, at normal ends only.
package write
