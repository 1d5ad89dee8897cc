// Numeric solves equations, and computes eigenvalues and Fourier transforms.
//
// It exercises loops over arrays of numbers. Hot: gonum.org/v1/gonum, whose innermost loops are
// assembly in part.
package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
)

// rounds is the number of matrices at 100 percent.
const rounds = 200

var errUsage = errors.New("usage: numeric [percent]")

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
	order, samples := 120, 4096 // rows and columns of each matrix, length of each wave
	if secondInput {
		order, samples = 30, 1500
	}
	random := rand.New(rand.NewPCG(3, 4))
	n := max(1, rounds*scale/100)
	sum := 0.0
	for range n {
		a := mat.NewDense(order, order, nil)
		for i := range order {
			for k := range order {
				a.Set(i, k, random.NormFloat64())
			}
		}
		var product, solution mat.Dense
		product.Mul(a, a.T())
		if err := solution.Solve(a, &product); err != nil {
			return err
		}
		sum += mat.Norm(&solution, 2)
		var eigen mat.Eigen
		if !eigen.Factorize(a, mat.EigenRight) {
			return errors.New("no eigenvalues")
		}
		for _, v := range eigen.Values(nil) {
			sum += math.Hypot(real(v), imag(v))
		}
		transform := fourier.NewFFT(samples)
		wave := make([]float64, samples)
		for range 20 {
			for i := range wave {
				wave[i] = random.Float64()
			}
			for _, c := range transform.Coefficients(nil, wave) {
				sum += math.Abs(real(c))
			}
		}
	}
	_, err = fmt.Fprintf(stdout, "numeric: %d rounds, sum %.6g\n", n, sum)
	return err
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
