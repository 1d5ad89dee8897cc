package core

// This file is the beginning of a profiled program on linux/amd64. It decides whether
// the process is profiled at all, or is a writer, and calls the other files of this
// room.

import (
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
	"github.com/pepgo/pep/runtime/write"
)

func start() {
	callers.Text.Base = golink.TextStart()
	callers.Text.Size = golink.TextEnd() - callers.Text.Base
	args, env := golink.Args(), golink.Envs()
	write.IfAsked(args, env)
	if !poll.Counts {
		findLabels()
	}
	if poll.Part {
		unprofiled("built with -pepwithout, for measurements alone: its counts would be wrong")
		return
	}
	defer spareChunks()
	if sys.Privileged() {
		unprofiled("PEPDIR, PEPOPTS and PEP_WRITE are ignored, since the program has privileges that its user does not have")
		return
	}
	if problem := write.InheritedFilter(); problem != "" {
		unprofiled(problem)
		return
	}
	opts, problem := options.Parse(options.Lookup(env, "PEPOPTS"), taps.ParseEngine)
	if problem != "" {
		unprofiled("PEPOPTS: " + problem)
		return
	}
	program.Say = opts.Say
	if problem := createTable(options.Lookup(env, "PEPDIR"), opts); problem != "" {
		unprofiled(problem)
		return
	}
	if problem := companion.Start(&program, env); problem != "" {
		print("pep: ", problem, "; no process will write the profile: the counts will be in ", program.File, "\n")
	}
	taps.Configure(taps.Program{Counts: counts, File: program.File, On: &tapping}, opts.Tapping)
	if poll.Interprets {
		if problem := readyWindows(opts.Values); problem != "" {
			stopCompanion()
			sys.Unlink(program.File)
			unprofiled(problem)
			return
		}
	}
	if ticking {
		if problem := readyTicks(); problem != "" {
			stopCompanion()
			sys.Unlink(program.File)
			unprofiled(problem)
			return
		}
	}
	installHandlers()
	golink.AtExit(finish)
	atExitOfC()
	if problem := taps.Start(); problem != "" {
		unprofiledTaps(problem)
	}
	if ticking {
		startPace(opts)
		startTicks()
	}
}
