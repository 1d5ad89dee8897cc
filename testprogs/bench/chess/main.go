// Chess counts the positions that legal moves lead to, by the move generator of a chess library.
//
// It exercises sets of squares in words, tables of attacks, and many small objects. Hot:
// github.com/corentings/chess/v2 (engine.go, position.go, board.go).
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/corentings/chess/v2"
)

// rounds is the number of searches from each position at 100 percent.
const rounds = 700

// positions are the starting position and some that the literature on move generators uses.
var positions = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
}

var errUsage = errors.New("usage: chess [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	if secondInput {
		positions = []string{
			"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
			"4k2r/6r1/8/8/8/8/3R4/R3K3 w Qk - 0 1",
			"8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28",
		}
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	all := 0
	for i := range n {
		for _, text := range positions {
			start, err := chess.FEN(text)
			if err != nil {
				return err
			}
			pos := chess.NewGame(start).Position()
			leaves := search(pos, 2)
			fmt.Fprintln(sum, i, leaves)
			all += leaves
		}
	}
	_, err = fmt.Fprintf(stdout, "chess: %d rounds, %d positions, checksum %08x\n", n, all, sum.Sum32())
	return err
}

// search returns the number of positions after so many moves.
func search(pos *chess.Position, depth int) (leaves int) {
	moves := pos.ValidMoves()
	if depth == 1 {
		return len(moves)
	}
	for i := range moves {
		leaves += search(pos.Update(&moves[i]), depth-1)
	}
	return leaves
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
