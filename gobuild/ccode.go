package gobuild

// This file finds packages with C code. C code can block or handle signals, so the ticks of such
// programs come from a thread.

// withC returns the import paths of the packages of the program that have C code
// and are not of the standard library.
func (b *build) withC() []string {
	var paths []string
	for _, p := range b.deps {
		if !p.Standard && len(p.CgoFiles)+len(p.SwigFiles)+len(p.SwigCXXFiles) > 0 {
			paths = append(paths, p.path())
		}
	}
	return paths
}
