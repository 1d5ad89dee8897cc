//go:build linux && amd64

package main

// This file holds the usage texts of the commands about sampled values, written by hand. A
// test runs the examples.

const (
	listUsage = `peptrace list [-f regexp] [-label regexp] [-kind regexp] [-n 3] [-secrets] [-modules operands] [-binary FILE] [-source_path dirs] [-json] FILE...

Prints the sampled instructions of functions with their values; the functions that
take most CPU time come first. The columns are

	time          share of the interrupts that hit the instruction, a sample of CPU time
	address       in the program's file
	instruction   in the syntax of Go's assembler; … is a gap
	vtot          how many values were sampled
	thld          the probability with which the hotlist has sampled each of them
	nv            how many values are in the hotlist, at most 16
	values        a kind of value, and its most frequent values with their shares

If thld is 1, a value is written as (share value): (94.26% 0) is 94.26% of vtot, exactly.
Otherwise it is (share [least-most] value): in (12.52% [6.15-35.38%] 0x20) the value 0x20
is about 12.52% of vtot, at least 6.15% and at most 35.38%. With 95% confidence all bounds
of a hotlist hold. Junk are values of which the hotlist only
says that they occurred: their bounds are further apart than a factor of ten.

	-f regexp           only functions whose names match, or that have such inlined
	-label regexp       only goroutines with a label of runtime/pprof that matches, as
	                      key=value; see peptrace help values
	-kind regexp        only kinds of values that match: result, first, taken, …
	-n 3                how many values of a hotlist, without junk; 0 is all
	-secrets            show words that look like addresses of memory, or like text, and
	                      the values of labels
	-modules operands   of recordings: what to sample. A comma-separated list of
	                      operands   results, compared operands, outcomes of branches,
	                                 targets of indirect calls
	                      callsites  results, by call site of the function
	                      strides    differences of addresses in loops
	                      types      concrete types of interface values
	                      vreplay(window=80,modulo=4096,machine=x86)
	                                 pairs of accesses to memory: order and size, loads of
	                                 what was just stored, wholly and partly; synonym, 4K
	                                 aliasing. Candidates: profiles of hardware events say
	                                 which of them happen
	                      floats     floating-point numbers in memory operands; those in
	                                 registers only with peptrace values -with interpret
	-binary FILE        the program, for names, if it is not where it ran
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	peptrace list -f '^main\.' app.recording
	peptrace list -n 0 -kind '^result$' -modules 'operands,strides' app.recording
	peptrace list -json values
`

	findUsage = `peptrace find [-f regexp] [-label regexp] [-n 10] [-addresses] [-secrets] [-modules operands] [-binary FILE] [-source_path dirs] [-json] FILE...

Finds semi-invariant values in code that takes time: code for the most frequent
value alone could be faster. The rows are ordered by score, which is the share of CPU
time of the function times the invariance of the value. The invariance is the share of
the most frequent value; for the score it is the lower bound of this share, with 95%
confidence. Of each line, and of each value in a function, there is one row.

Addresses of memory, constants and outcomes of branches do not count. The module types
samples the types of interface values.

	-f regexp           only functions whose names match, or that have such inlined
	-label regexp       only goroutines with a label of runtime/pprof that matches, as
	                      key=value; see peptrace help values
	-n 10               how many rows; 0 is all
	-addresses          also rank addresses of the program's own code and data
	-secrets            show words that look like text
	-modules operands   of recordings: what to sample, see peptrace help list
	-binary FILE        the program, for names, if it is not where it ran
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	peptrace find -n 3 app.recording
	peptrace find -f '^main\.' -json values
`

	watchUsage = `peptrace watch [-f regexp] [-label regexp] [-n 10] [-addresses] [-speed 1] [-secrets] [-modules operands] [-binary FILE] [-source_path dirs] RECORDING

Replays a recording as fast as it was made, and shows on the terminal what find finds
so far, twice a second. At the end, or when it is interrupted, it prints what find
finds. If the output is no terminal, it prints only that.

	-f regexp           only functions whose names match, or that have such inlined
	-label regexp       only goroutines with a label of runtime/pprof that matches, as
	                      key=value; see peptrace help values
	-n 10               how many rows; 0 is all
	-addresses          also rank addresses of the program's own code and data
	-speed 1            how many times as fast
	-secrets            show words that look like text
	-modules operands   what to sample, see peptrace help list
	-binary FILE        the program, for names, if it is not where it ran
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH

Examples:

	peptrace watch -speed 10 app.recording
`

	pprofUsage = `peptrace pprof -o OUT [-label regexp] [-secrets] [-modules operands] [-binary FILE] FILE...

Writes the values of one program as a profile. The label expr is the instruction, kind
the kind of value, value the value. Labels that the program has given to goroutines are
labels of the samples, too: -tagfocus and -tagroot take them. Try

	pep values OUT
	go tool pprof -tags OUT
	go tool pprof -top -tagroot=expr -tagleaf=value OUT

	-o OUT              file to write
	-label regexp       as in peptrace list
	-secrets            show words that look like addresses of memory, or like text, and
	                      the values of labels
	-modules operands   of recordings: what to sample, see peptrace help list
	-binary FILE        the program, for names, if it is not where it ran

Examples:

	peptrace pprof -o app.values.pb.gz app.recording
`

	mergeUsage = `peptrace merge -o DIR [-modules operands] [-binary FILE] FILE...

Adds up databases and recordings, and writes a database for each program into a
directory. Databases that are there already are added to. Sums of samples are exact, and
the hotlists have the same bounds as if all samples came from one run.

	-o DIR              directory to write to; it is made if it is not there
	-modules operands   of recordings: what to sample, see peptrace help list
	-binary FILE        the program, if it is not where it ran: some modules need it

Examples:

	peptrace merge -o all values app.recording
`
)
