package core

// This file is the beginning of a profiled program on linux/amd64. It decides whether
// the process is profiled at all, or is a writer, and calls the other files of this
// room.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
)

func start() {
	textBase = golink.TextStart()
	textSize = golink.TextEnd() - textBase
	args, env := golink.Args(), golink.Envs()
	if isWriter(args) {
		sys.Exit(writeAsChild(args))
	}
	if name := options.Lookup(env, "PEP_WRITE"); name != "" && !sys.Privileged() {
		sys.Exit(writeFor(name))
	}
	if poll.Mode != poll.Exact {
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
	if problem := inherited(); problem != "" {
		unprofiled(problem)
		return
	}
	opts, problem := options.Parse(options.Lookup(env, "PEPOPTS"), taps.ParseEngine)
	if problem != "" {
		unprofiled("PEPOPTS: " + problem)
		return
	}
	say = opts.Say
	if problem := createTable(options.Lookup(env, "PEPDIR"), opts); problem != "" {
		unprofiled(problem)
		return
	}
	prepareWriter(env)
	if problem := startCompanion(); problem != "" {
		print("pep: ", problem, "; no process will write the profile: the counts will be in ", tableName, "\n")
	}
	taps.Configure(taps.Program{Counts: counts, File: tableName, Mode: &Taps}, opts.Tapping)
	if poll.Mode == poll.Windows {
		if problem := readyWindows(opts.Values); problem != "" {
			stopCompanion()
			sys.Unlink(tableName)
			unprofiled(problem)
			return
		}
	}
	if ticking() {
		if problem := readyTicks(); problem != "" {
			stopCompanion()
			sys.Unlink(tableName)
			unprofiled(problem)
			return
		}
	}
	installHandlers()
	golink.AtExit(finish)
	atExitOfC()
	if problem := taps.Start(opts.Samples); problem != "" {
		unprofiledTaps(problem)
	}
	if ticking() {
		startPace(opts)
		startTicks()
	}
}
