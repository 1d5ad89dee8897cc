'use strict';

// This file places the nodes of a control-flow graph in layers (Sugiyama, Tagawa and Toda 1981):
// it ranks nodes by the longest way from the entry, gives edges over several ranks a bend in each of
// them, orders each rank so that few edges cross, and moves nodes towards their neighbours.

// layoutGraph returns the size of a drawing, the centre {x, y, w, h} of each node, and for each arc
// {from, arc, points, back}. nodes is Graph.nodes of package annotate, widths has the width of each.
function layoutGraph(nodes, widths) {
	const HEIGHT = 20, GAP = 14, BEND = 10, RANK = 46;

	// An edge back to a node that a search is still in closes a loop. For the layout it points down.
	const state = new Array(nodes.length).fill(0); // 0 unknown, 1 the search is in it, 2 done
	const order = []; // nodes in the order in which the search leaves them
	const edges = []; // {from, arc, back}
	for (let root = 0; root < nodes.length; root++) {
		if (state[root]) continue;
		state[root] = 1;
		const stack = [{node: root, next: 0}];
		while (stack.length) {
			const top = stack.at(-1);
			const arc = nodes[top.node].out?.[top.next++];
			if (!arc) {
				state[top.node] = 2;
				order.push(top.node);
				stack.pop();
				continue;
			}
			edges.push({from: top.node, arc, back: arc.to >= 0 && state[arc.to] === 1});
			if (arc.to >= 0 && !state[arc.to]) {
				state[arc.to] = 1;
				stack.push({node: arc.to, next: 0});
			}
		}
	}

	const rank = new Array(nodes.length).fill(0);
	const down = edges.filter(e => e.arc.to >= 0 && e.arc.to !== e.from);
	const outOf = new Map();
	for (const e of down) outOf.set(e.from, [...outOf.get(e.from) ?? [], e]);
	for (const n of order.reverse())
		for (const e of outOf.get(n) ?? [])
			if (!e.back) rank[e.arc.to] = Math.max(rank[e.arc.to], rank[n] + 1);

	// Items are nodes and bends. Each knows its neighbours above and below.
	const items = nodes.map((_, i) => ({rank: rank[i], w: widths[i], up: [], down: [], x: 0}));
	const link = (a, b) => { items[a].down.push(b); items[b].up.push(a); };
	for (const e of down) {
		const [first, last] = e.back ? [e.arc.to, e.from] : [e.from, e.arc.to];
		e.chain = [first];
		for (let r = rank[first] + 1; r < rank[last]; r++) {
			items.push({rank: r, w: BEND, up: [], down: [], x: 0});
			link(e.chain.at(-1), items.length - 1);
			e.chain.push(items.length - 1);
		}
		if (rank[first] !== rank[last]) link(e.chain.at(-1), last);
		e.chain.push(last);
	}
	const layers = [];
	items.forEach((item, i) => (layers[item.rank] ??= []).push(i));
	for (let r = 0; r < layers.length; r++) layers[r] ??= [];

	// Order: each item goes to the mean position of its neighbours, from above, then from below.
	const place = layer => layer.forEach((i, k) => items[i].at = k);
	layers.forEach(place);
	const sortBy = (layer, side) => {
		for (const i of layer) {
			const near = items[i][side];
			items[i].mean = near.length ? near.reduce((sum, n) => sum + items[n].at, 0) / near.length : items[i].at;
		}
		layer.sort((a, b) => items[a].mean - items[b].mean);
		place(layer);
	};
	for (let sweep = 0; sweep < 10; sweep++) {
		if (sweep % 2) for (let r = layers.length - 2; r >= 0; r--) sortBy(layers[r], 'down');
		else for (let r = 1; r < layers.length; r++) sortBy(layers[r], 'up');
	}

	// Positions: as near as possible to the mean of the neighbours, in this order, with gaps.
	for (const layer of layers) settle(layer, () => 0);
	const meanOf = side => i => {
		const near = items[i][side];
		return near.length ? near.reduce((sum, n) => sum + items[n].x, 0) / near.length : items[i].x;
	};
	for (let sweep = 0; sweep < 12; sweep++) {
		if (sweep % 2) for (let r = layers.length - 2; r >= 0; r--) settle(layers[r], meanOf('down'));
		else for (let r = 1; r < layers.length; r++) settle(layers[r], meanOf('up'));
	}

	// settle minimises the sum of squared distances to the wanted positions (pool adjacent violators).
	function settle(layer, wanted) {
		const blocks = []; // of items that touch: sum of wanted less offset, and their number
		let offset = 0, previous = 0;
		for (const i of layer) {
			offset += previous ? (previous + items[i].w) / 2 + GAP : 0;
			previous = items[i].w;
			items[i].offset = offset;
			let block = {sum: wanted(i) - offset, n: 1, items: [i]};
			while (blocks.length && blocks.at(-1).sum / blocks.at(-1).n > block.sum / block.n) {
				const above = blocks.pop();
				block = {sum: above.sum + block.sum, n: above.n + block.n, items: above.items.concat(block.items)};
			}
			blocks.push(block);
		}
		for (const block of blocks) for (const i of block.items) items[i].x = block.sum / block.n + items[i].offset;
	}

	let left = Infinity, right = -Infinity;
	for (const item of items) {
		left = Math.min(left, item.x - item.w / 2);
		right = Math.max(right, item.x + item.w / 2);
	}
	const MARGIN = 22;
	const at = i => ({x: items[i].x - left + MARGIN, y: items[i].rank * RANK + 26, w: items[i].w, h: HEIGHT});
	// Edges between the same nodes lie side by side, and edges that close loops beside those that do not.
	const parallel = new Map();
	const arcs = edges.map(e => {
		const pair = `${Math.min(e.from, e.arc.to)} ${Math.max(e.from, e.arc.to)}`, nth = parallel.get(pair) ?? 0;
		parallel.set(pair, nth + 1);
		const aside = 7 * nth + (e.back && !nth ? 9 : 0);
		const from = at(e.from);
		if (e.arc.to < 0) return {...e, points: [[from.x, from.y + HEIGHT / 2], [from.x, from.y + HEIGHT / 2 + 13]]};
		if (e.arc.to === e.from) return {...e, points: [[from.x + from.w / 2, from.y]], self: true};
		const points = e.chain.map(i => [at(i).x + aside, at(i).y]);
		const half = HEIGHT / 2;
		points[0] = [points[0][0], points[0][1] + half];
		points[points.length - 1] = [points.at(-1)[0], points.at(-1)[1] - half];
		if (e.back) points.reverse();
		return {...e, points};
	});
	return {
		width: right - left + 2 * MARGIN,
		height: (layers.length - 1) * RANK + 26 + HEIGHT / 2 + 24,
		nodes: nodes.map((_, i) => at(i)),
		arcs,
	};
}

