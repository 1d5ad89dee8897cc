package cop

// This file holds the table of built-in programs.

// images are the programs that an engine can run without a file, by the name that stands
// in program=NAME. The program NAME is assembled from asm/programs/NAME.s, and the constant
// with its image is in image_NAME.go: go test ./hwsim/cop -run Assembled -update writes it.
// An engine without program= runs the first one.
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

// programOf returns the name of the first built-in program for a host.
func programOf(host string) string {
	for _, x := range images {
		if image, err := ParseImage(x.text); err == nil && image.Host == host {
			return x.name
		}
	}
	return ""
}

// builtIn returns the text of the image of a built-in program.
func builtIn(name string) (text string, ok bool) {
	for _, x := range images {
		if x.name == name {
			return x.text, true
		}
	}
	return "", false
}
