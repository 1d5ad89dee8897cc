// Package tracecost measures what probes cost the probed program, beside other tracers on
// the same work.
//
//	rows, err := tracecost.Measure(tracecost.Config{Rounds: 10, Calls: 300_000, Bpftrace: "bpftrace", Delve: "dlv"}, os.Stderr)
//	fmt.Print(tracecost.Table(rows))
//
// A program calls a function in a loop and measures how long a call takes. Each round
// measures it once with each way of tracing, and once without, so all see the same
// machine. The cost of a way in a round is its time less that of the round without; the
// table has the median over the rounds and the quartiles. Times are CPU times of the program,
// so other programs disturb them little. Delve stops the program at each call: its time is
// that on the clock, and it gets fewer calls.
package tracecost
