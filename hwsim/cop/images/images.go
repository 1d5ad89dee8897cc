// Package images has the programs that a co-processor can run without a file. Each is an image:
// text that package machine parses.
package images

// The image of the program NAME is assembled from ../asm/programs/NAME.s. It is a constant in NAME.go,
// which go test ./hwsim/cop/images -run Assembled -update writes.
var images = [...]struct{ name, text string }{
	{"sampler", imageSampler},
	{"values", imageValues},
	{"edges", imageEdges},
	{"targets", imageTargets},
	{"follow", imageFollow},
	{"deps", imageDeps},
	{"conflicts", imageConflicts},
	{"callstack", imageCallstack},
}

// Names returns the names of all built-in programs.
func Names() (list []string) {
	for _, x := range images {
		list = append(list, x.name)
	}
	return list
}

// Find returns the text of the image of a built-in program.
func Find(name string) (text string, ok bool) {
	for _, x := range images {
		if x.name == name {
			return x.text, true
		}
	}
	return "", false
}
