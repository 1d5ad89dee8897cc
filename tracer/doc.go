// Package tracer looks into running Go programs that were built as usual, with go build. It is the
// door to the packages below it: commands and experiments call this package and no other one of
// the tracer. The programs need no restart and are not changed.
//
// # Probes
//
// [Probe] counts in the kernel what happens at chosen instructions of one process: calls, values,
// branches, durations. Every hit counts, and a hit costs the program about 0.6 µs.
//
//	probed, err := tracer.Probe(ctx, tracer.ProbeRequest{
//		PID: 4711, Func: regexp.MustCompile(`^main\.known$`), Args: true, Time: 10 * time.Second,
//	}, nil)
//	if err != nil {
//		return err // process 4711: there is no such process
//	}
//	defer probed.Close()
//	f := probed.Table(2).Functions[0]
//	f.Func, *f.Calls   // main.known, 2000
//	f.Sites[0].Expr    // x, the first argument
//	f.Sites[0].Rows    // {7 1800 0.9} {0 20 0.01}: value, hits, share of the hits
//
// # Blocks that never run
//
// [Cold] puts a probe on each basic block, which is taken away when the block is hit for the first
// time. What has no hit never ran.
//
//	data, err := tracer.Cold(ctx, tracer.ColdRequest{PID: 4711, Scope: cold.Modules, Time: 10 * time.Minute}, nil)
//	table := cold.NewTable(data, 10) // package analyze/cold
//
// # Samples
//
// [Sample] interrupts one process or more, some 1000 times a second, and interprets the next few
// instructions of the interrupted program, without any effect on it. So it samples which values
// instructions compute. An interrupt costs the program some microseconds.
//
//	sampled, err := tracer.Sample(ctx, tracer.SampleRequest{
//		Input: tracer.Input{Modules: "operands"}, PIDs: []int{4711}, Skip: tracer.DefaultSkip, Time: 10 * time.Second, Out: "values",
//	}, nil)
//	if err != nil {
//		return err
//	}
//	defer sampled.Close()
//	for _, r := range sampled.Find(tracer.Selection{N: 3}).Rows {
//		r.Func, r.Line, r.Instruction      // main.zeros, 7, MOVQ 0(AX)(DX*8), CX
//		r.Kind, r.Value, r.Invariance      // result, 0, 0.9426: 94 % of the sampled results are 0
//	}
//
// # Files
//
// [Open] reads databases and recordings, as Sample writes them, and [Replay] replays a recording as
// fast as it was made. Both return [Values], which Sample returns, too. Package listing prints all
// tables of this package, as text or JSON; docs/reference/json.md explains their fields.
//
//	values, err := tracer.Open(tracer.Input{Modules: "operands"}, "values", "app.recording")
//	defer values.Close()
//	listing.Text(os.Stdout, values.List(tracer.Selection{N: 3}))
//	err = values.Save("all") // all/app.5f3c….hotlists
//
// # Where it works
//
// The package is for Linux on amd64, and empty on other systems. Probe, Cold and Sample need root, or the
// capabilities CAP_BPF and CAP_PERFMON, and for processes of other users CAP_SYS_PTRACE. Errors for want of
// a right or a feature of the kernel say which one, and what to do. Nothing is left in the process or the
// kernel when a function returns, or when this process is killed.
//
// What is wrong with a request is an error in the words of the flags of peptrace: "-d -1s: a time
// cannot be negative".
package tracer
