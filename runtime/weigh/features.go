package weigh

// This file computes the features of paths: what their gaps are expected to depend on.

// featuresOf returns the features of all paths. Gaps are in costs of a poll.
func featuresOf(bursts []Burst, paths int) [][features]float64 {
	cost := costOf(bursts)
	small := shortest / cost
	n := make([]float64, paths)
	sum := make([]float64, paths)
	seen := make([][]uint32, paths)
	back := make([][]uint32, paths) // gaps where the path returns
	var allN, all float64
	for i := range bursts {
		b := &bursts[i]
		for j := range b.Polls {
			p := &b.Polls[j]
			if p.Gap == 0 {
				continue
			}
			gap := min(float64(p.Gap)/cost, clip)
			n[p.Path]++
			sum[p.Path] += gap
			seen[p.Path] = append(seen[p.Path], p.Gap)
			allN++
			all += gap
			if returns(b.Polls, j) {
				back[p.Path] = append(back[p.Path], p.Gap)
			}
		}
	}
	again := make([]float64, paths) // median of back
	least := 0.                     // of these
	for k := range back {
		if len(back[k]) < enough {
			continue
		}
		again[k] = float64(quantile(back[k], 1, 2)) / cost
		if least == 0 || again[k] < least {
			least = again[k]
		}
	}
	list := make([][features]float64, paths)
	mean := all / max(allN, 1)
	for k := range list {
		known := 0.
		switch {
		case len(back[k]) >= enough:
			known = positive(again[k] - least)
		case len(seen[k]) >= enough:
			known = max(float64(quantile(seen[k], 1, 2))/cost-clip, 0)
		}
		list[k] = [features]float64{small, known, max((sum[k]+2*mean)/(n[k]+2)-longGap, 0)}
	}
	return list
}

// positive returns about x if that is much more than what the clock does not show, and a little more than
// 0 if it is less than that: half of it for 0.
func positive(x float64) float64 { return (x + root(x*x+unsure*unsure)) / 2 }

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

// costOf returns the cost of a poll: 2 % of the gaps are below it. It looks at several
// thousand of them. Most are below coldCode.
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
		return coldCode
	}
	return float64(max(quantile(gaps, 1, 50), coldCode))
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
