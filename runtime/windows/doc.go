// Package windows takes windows: at a tick of CPU time it interprets what the program does next, and counts the paths
// that end there. Package core calls it in the handler of the tick, and prepares it when the program starts:
//
//	problem := windows.Ready(windows.Program{Counts: counts, LabelsAt: labelsAt}, values)
//	t := windows.Begin(uintptr(unsafe.Pointer(ctx)), stands, fs, g) // a tick has interrupted ctx
//	for windows.Run(t, cycles()) {
//	}
//	windows.End(t)
//
// A window that faults goes on behind Run. Handlers run the files whose names begin with handler: they call nothing of
// the Go runtime, and do not allocate. A test of package core looks at their code.
//
// There are windows on linux/amd64 only.
package windows
