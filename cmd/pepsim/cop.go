package main

// This file holds the commands for programs of the co-processor.

import (
	"fmt"
	"io"

	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/input"
)

const (
	copAsmUsage = `pepsim cop asm [-o IMAGE] SOURCE

Assembles a program for the engine cop. It prints the listing: address and word
of each microinstruction. The documentation of package hwsim/cop/asm describes
the language.

	-o IMAGE   write the image, which the engine runs: cop(IMAGE)

Examples:

	pepsim cop asm -o sampler.cop sampler.s
	pepsim run -engine 'cop(sampler.cop,clock=0.5)' -top 0 app.trace
`
	copDisasmUsage = `pepsim cop disasm IMAGE

Prints the source of a program that has been assembled, without its comments, and
with other labels.

Examples:

	pepsim cop asm -o sampler.cop sampler.s
	pepsim cop disasm sampler.cop
`
)

// readText parses a command line of least to most arguments, and reads the file that the
// first one names; "-" is the standard input.
func readText(c *command.Call, least, most int) (string, error) {
	if err := c.Parse(least, most); err != nil {
		return "", err
	}
	return input.Text(c.Args[0], c.Stdin, maxProgram)
}

const maxProgram = 1 << 22 // bytes; no program has more

func assemble(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	source, err := readText(c, 1, 1)
	if err != nil {
		return err
	}
	p, err := asm.Assemble(c.Args[0], source)
	if err != nil {
		return err
	}
	if *out != "" {
		err = write(c, *out, func(w io.Writer) error {
			_, err := io.WriteString(w, p.Image.Text())
			return err
		})
	}
	if err == nil && *out != "-" {
		_, err = io.WriteString(c.Stdout, p.Listing())
	}
	return err
}

func disassemble(c *command.Call) error {
	text, err := readText(c, 1, 1)
	if err != nil {
		return err
	}
	if text, err = asm.Disassemble(text); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	_, err = io.WriteString(c.Stdout, text)
	return err
}
