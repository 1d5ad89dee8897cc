package raphw

// This file holds merges (section 3.3): the stages wait, and the merge scans all
// entries.

// merge removes each entry whose count and that of its parent are together at most the
// threshold, and adds its count to the parent. The order of the scan puts an entry
// after all entries inside it. If an entry is removed, the entries inside it get its
// parent.
func (p *pipeline) merge() {
	p.commit()
	t := &p.ranges
	n := t.len()
	adopted := 0
	for _, i := range p.scan() {
		pc, length, around := t.pc[i], int(t.length[i]), int(t.parent[i])
		if length == 0 {
			continue
		}
		parent := t.find(pc, t.value[i]&t.prefix(around), around)
		if t.count[i]+t.count[parent] > p.threshold {
			continue
		}
		t.count[parent] = p.add(t.count[parent], t.count[i])
		t.parent[i] = dead
		adopted += t.adopt(pc, t.value[i], length, length, around)
		p.merged++
	}
	t.compact()
	for p.due <= p.n {
		if p.due > never/p.q {
			p.due = never
			break
		}
		p.due *= p.q
	}
	cycles := (uint64(n)+p.rate-1)/p.rate + uint64(adopted)
	p.stall += cycles
	p.mergeCycles += cycles
	p.adopted += uint64(adopted)
	p.merges++
}

// never is a number of events that no stream reaches.
const never = 1<<64 - 1

// scan returns the entries in the order in which a merge visits them.
func (p *pipeline) scan() []int {
	n := p.ranges.len()
	order := p.order[:n]
	for i := range order {
		order[i] = n - 1 - i
	}
	if p.byLength {
		return order
	}
	// This is a heapsort, because package sort cannot be linked into programs.
	for i := n/2 - 1; i >= 0; i-- {
		p.sift(order, i)
	}
	for i := n - 1; i > 0; i-- {
		order[0], order[i] = order[i], order[0]
		p.sift(order[:i], 0)
	}
	return order
}

// sift moves item i of a heap down to its place. The first item of the heap is the one
// that comes last in the order.
func (p *pipeline) sift(heap []int, i int) {
	for {
		k := 2*i + 1
		if k >= len(heap) {
			return
		}
		if k+1 < len(heap) && p.before(heap[k], heap[k+1]) {
			k++
		}
		if !p.before(heap[i], heap[k]) {
			return
		}
		heap[i], heap[k] = heap[k], heap[i]
		i = k
	}
}

// before reports whether entry a comes before entry b in a walk through the ranges from
// left to right, in which a range comes after those inside it. The walk is in the order
// of the last points. If two entries have the same last point, the longer prefix comes
// first.
func (p *pipeline) before(a, b int) bool {
	t := &p.ranges
	if t.pc[a] != t.pc[b] {
		return t.pc[a] < t.pc[b]
	}
	if x, y := t.value[a]|^t.mask[a], t.value[b]|^t.mask[b]; x != y {
		return x < y
	}
	return t.length[a] > t.length[b]
}
