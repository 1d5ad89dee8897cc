// Package tutorial executes documents: it runs the commands in them and compares the
// output with that in the text.
//
//	```text greeting.txt
//	Hello
//	```
//
//	```console
//	$ cat greeting.txt
//	Hello
//	```
//
// A block with a second word behind its opening fence is a file. A block of console has
// commands, each behind "$ ", and their output.
package tutorial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const fence = "```"

// Run writes the files of a document into dir and runs its commands there, in order. It
// returns the document with the output that the commands have now. A command that fails
// has its output like any other.
func Run(document, dir string, env []string) (string, error) {
	var out strings.Builder
	kind, name, block := "", "", ""
	for line := range strings.Lines(document) {
		text := strings.TrimRight(line, "\n")
		switch {
		case kind == "" && strings.HasPrefix(text, fence):
			kind, name, _ = strings.Cut(strings.TrimPrefix(text, fence), " ")
			if kind == "" {
				return "", fmt.Errorf("a block without a kind: want %sconsole or %stext", fence, fence)
			}
			out.WriteString(line)
			block = ""
		case kind == "" || text != fence && kind != "console":
			out.WriteString(line)
			block += line
		case text != fence:
			if command, ok := strings.CutPrefix(text, "$ "); ok {
				result, err := run(command, dir, env)
				if err != nil {
					return "", err
				}
				out.WriteString(line + result)
			}
		default:
			if name != "" {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(block), 0o644); err != nil {
					return "", err
				}
			}
			out.WriteString(line)
			kind, name = "", ""
		}
	}
	if kind != "" {
		return "", fmt.Errorf("the last block of %s does not end", kind)
	}
	return out.String(), nil
}

// run returns what a command writes. Its last line is complete.
func run(command, dir string, env []string) (string, error) {
	c := exec.Command("sh", "-c", command)
	c.Dir, c.Env = dir, env
	text, err := c.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimRight(line, " \n")+"\n")
	}
	return strings.Join(lines, ""), nil
}
