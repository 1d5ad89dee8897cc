package cop

// This file holds the table of built-in programs.

// The program NAME is assembled from asm/programs/NAME.s, and the constant
// with its image is in image_NAME.go: go test ./hwsim/cop -run Assembled -update writes it.
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
