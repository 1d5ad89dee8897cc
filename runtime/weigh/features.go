package weigh

// This file computes the features of paths: what their gaps are expected to depend on.

// featuresOf returns the features of all paths. Gaps are in costs of a fault.
func featuresOf(bursts []Burst, paths int) [][features]float64 {
	cost := costOf(bursts)
	small := shortest / cost
	n := make([]float64, paths)
	sum := make([]float64, paths)
	warm, seen := make([][]uint32, paths), make([][]uint32, paths)
	var allN, all float64
	var faults []uint32
	for i := range bursts {
		polls := bursts[i].Polls
		if f := bursts[i].Fault; f > 0 {
			faults = append(faults, f)
		}
		for j := range polls {
			p := &polls[j]
			if p.Gap == 0 {
				continue
			}
			gap := min(float64(p.Gap)/cost, clip)
			n[p.Path]++
			sum[p.Path] += gap
			seen[p.Path] = append(seen[p.Path], p.Gap)
			allN++
			all += gap
			if returns(polls, j) {
				warm[p.Path] = append(warm[p.Path], p.Gap)
			}
		}
	}
	again := make([]float64, paths) // median gap where the path returns, 0 if it does not
	least := 0.
	for k := range warm {
		if len(warm[k]) < enough {
			continue
		}
		again[k] = float64(quantile(warm[k], 1, 2)) / cost
		if least == 0 || again[k] < least {
			least = again[k]
		}
	}
	if len(faults) >= enough {
		fault := repeated * float64(quantile(faults, 1, 2)) / cost
		if least == 0 || fault < least { // no path that returns is short
			least = fault
		}
	}
	list := make([][features]float64, paths)
	mean := all / max(allN, 1)
	for k := range list {
		known := 0.
		switch {
		case again[k] > 0:
			known = again[k] - least
		case len(seen[k]) >= enough:
			known = max(float64(quantile(seen[k], 1, 2))/cost-clip, 0)
		}
		list[k] = [features]float64{small, known, max((sum[k]+2*mean)/(n[k]+2)-longGap, 0)}
	}
	return list
}

// returns reports whether the path of polls[i] is one of the last few that its thread has ended.
func returns(polls []Poll, i int) bool {
	seen := 0
	for j := i - 1; j >= 0 && seen < recent; j-- {
		if polls[j].Thread != polls[i].Thread {
			continue
		}
		if polls[j].Path == polls[i].Path {
			return true
		}
		seen++
	}
	return false
}

// costOf returns the cost of a fault: 2 % of the gaps are below it. It looks at several
// thousand of them.
func costOf(bursts []Burst) float64 {
	const looked = 1 << 12
	polls := 0
	for i := range bursts {
		polls += len(bursts[i].Polls)
	}
	step, at := polls/looked+1, 0
	var gaps []uint32
	for i := range bursts {
		for _, p := range bursts[i].Polls {
			if at++; at%step == 0 && p.Gap > 0 {
				gaps = append(gaps, p.Gap)
			}
		}
	}
	if len(gaps) == 0 {
		return 1
	}
	return float64(max(quantile(gaps, 1, 50), 1))
}

// quantile returns the value that num of den values of list are below. It sorts the list.
func quantile(list []uint32, num, den int) uint32 {
	for step := len(list) / 2; step > 0; step /= 2 { // Shell's sort
		for i := step; i < len(list); i++ {
			for j := i; j >= step && list[j] < list[j-step]; j -= step {
				list[j], list[j-step] = list[j-step], list[j]
			}
		}
	}
	return list[len(list)*num/den]
}
