// Package sys is the system layer of the linked runtime: raw system calls of
// linux/amd64, the texts of error numbers, files, signal handlers, and facts about
// processes. It knows nothing of profiles. Packages os and syscall would do if they
// could not be instrumented themselves.
//
//	fd, e := sys.Open("/proc/self/stat", sys.ORdonly)
//	if e != 0 {
//		return "opening it: " + e.Error() // "opening it: permission denied"
//	}
//	defer sys.Close(fd)
//
// On other systems the package is empty but for [Base].
package sys
