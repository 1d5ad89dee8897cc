
// This file shows what Write put into the page. The address says what is shown, #f=FUNCTION&p=PATH or
// #f=FUNCTION&L=LINE, and render() shows it. All text becomes text nodes, never markup.

// ---- Elements and text

const $ = id => document.getElementById(id);

// set gives an element attributes; "onclick" and the like are functions, "style" is an object.
function set(e, attributes) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
		else if (name === 'style') for (const [k, v] of Object.entries(value)) e.style.setProperty(k, v);
		else e.setAttribute(name, value === true ? '' : value);
	}
	return e;
}

// add appends children to an element: elements, texts, lists of both; false and null are nothing.
function add(e, ...children) {
	e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
	return e;
}

// fill is add after all that the element had has gone.
function fill(e, ...children) {
	e.replaceChildren();
	return add(e, ...children);
}

// h makes an HTML element with children, g one of SVG.
const h = (tag, attributes, ...children) => add(set(document.createElement(tag), attributes), ...children);
const g = (tag, attributes, ...children) => add(set(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes), ...children);

const UNIT = '\u202f%'; // a narrow space that does not break

function percent(x) {
	if (x > 0 && x < .0005) return '<' + .1 + UNIT;
	if (x < 1 && x >= .9995) return '>' + 99.9 + UNIT;
	return (100 * x).toFixed(x === 1 || x === 0 ? 0 : 1) + UNIT;
}

// bounds is "83–90", with decimals where there is nothing without.
function bounds(low, high) {
	const digits = high - low < .02 || high < .02 ? 1 : 0;
	const a = (100 * low).toFixed(digits), b = (100 * high).toFixed(digits);
	return a === b ? a : a + '–' + b;
}

const atMost = x => '≤\u202f' + (x < .001 ? '0.1' : (100 * x).toFixed(x < .0995 ? 1 : 0).replace(/\.0$/, '')) + UNIT;

// short is a count in at most four characters.
function short(n) {
	for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
		if (n >= unit * .9995) return (n / unit).toFixed(n < unit * 9.95 ? 1 : 0) + name;
	return String(n);
}

const full = n => n.toLocaleString('en');
const plural = (n, one, many = one + 's') => `${full(n)} ${n === 1 ? one : many}`;

function seconds(ns) {
	return ns >= 1e9 ? (ns / 1e9).toFixed(1) + ' s' : (ns / 1e6).toFixed(0) + ' ms';
}

// side is the colour of an outcome: of conditions and loops the two sides have one each.
function side(name) {
	if (/^(true|body|ok)$/.test(name)) return 'yes';
	if (/^(false|done)$/.test(name)) return 'no';
	return 'way';
}

// bare is the name of a function without the directories of its package.
const bare = name => name.slice(name.replace(/[([].*/, '').lastIndexOf('/') + 1);

// ---- Data

async function block(id) {
	const text = $(id).textContent;
	const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

let program;        // the index: annotate.Program
let functions = []; // of it
let byName;         // the index of a function by its name
let ordinals;       // for each function its number among those with details, or -1

const loaded = new Map(); // details by the number of their block, a few of them

async function detailOf(i) {
	if (ordinals[i] < 0) return null;
	const n = Math.floor(ordinals[i] / program.chunk);
	if (!loaded.has(n)) {
		const id = 'details-' + n;
		if (!$(id) && document.readyState === 'loading') // the browser still reads the file
			await new Promise(done => document.addEventListener('DOMContentLoaded', done, {once: true}));
		loaded.set(n, block(id));
		if (loaded.size > 12) loaded.delete(loaded.keys().next().value);
	}
	return (await loaded.get(n))[ordinals[i] % program.chunk];
}

// nameOf is the name of a function in two parts: its package in short, and the rest.
function nameOf(f) {
	const local = f.name.startsWith(f.package + '.') ? f.name.slice(f.package.length + 1) : f.name;
	return local === f.name ? ['', local] : [f.package.slice(f.package.lastIndexOf('/') + 1) + '.', local];
}

// ran is the word for code that must have run by what counts say. Windows see code before the thread executes it.
const ran = () => program.windows ? 'seen' : 'ran';
const stateText = {get ran() { return ran(); }, never: 'never seen', few: 'few samples', untold: 'untold'};
const stateTitle = {
	get ran() { return `No sample shows it, but what a sample shows cannot have ${program.windows ? 'come' : 'run'} without it.`; },
	never: 'No sample shows it. Never seen is not never: bounds say how rare it is.',
	few: 'No sample shows it, and there are too few samples to say how rare it is.',
	untold: 'In some places, the code of the program does not tell what was decided, for example because the compiler made one comparison of two.',
};

// ---- The top

function showTop() {
	const p = program;
	const seen = functions.filter(f => f.state === 'seen').length;
	add($('run'), p.program);
	$('run').title = 'About this run';
	$('run').setAttribute('aria-label', 'About this run of ' + p.program);
	const fact = (name, value) => value !== null && [h('dt', {}, name), h('dd', {}, value)];
	add($('run-facts'), h('h2', {}, 'This run'), h('dl', {},
		fact('program', p.program),
		fact('counts', p.exact ? 'exact: every path was counted' : 'sampled'),
		fact('samples', p.exact ? null : full(p.samples)),
		fact('CPU time', p.cpu_ns ? seconds(p.cpu_ns) : null),
		fact('cost of sampling', p.exact || !p.cpu_ns ? null : percent(p.cost) + ' of the CPU time, without the code of polls and registers' +
			(p.budgetEnd > 0 ? `; its budget was ${percent(p.budget)} on average and ${percent(p.budgetEnd)} at the end` : '')),
		fact('distinct paths', full(p.paths)),
		fact('paths executed', full(p.count) + (p.exact ? '' : ', an estimate')),
		fact('flow', full(p.flow) + ' branches on these'),
		fact('no sample shows', p.exact ? null : `at most ${percent(p.unseen)} of all counts, with 95${UNIT} confidence`),
		fact('build', p.build || null)));
	add($('facts'),
		p.exact ? h('span', {}, h('b', {}, 'exact'), ' counts') : h('span', {}, h('b', {}, full(p.samples)), ' samples'),
		p.coverage && ['statements', 'outcomes', 'conditions'].map((name, i) => {
			const [covered, all] = p.coverage[name];
			return all > 0 && h('span', {title: `${full(covered)} of ${full(all)} ${['statements were executed', 'outcomes of branches were taken', 'conditions were shown to decide on their own'][i]}`},
				['statements', 'branches', 'MC/DC'][i], ' ', h('b', {}, percent(covered / all)));
		}),
		!p.exact && p.cpu_ns ? h('span', {title: 'Share of the CPU time that sampling took'}, 'cost ', h('b', {}, percent(p.cost))) : '',
		h('span', {}, h('b', {}, full(seen)), ' of ', full(functions.length), ' functions seen'));
	$('by-missing').hidden = !p.coverage;
	$('by-total').hidden = !functions.some(f => cumOf(f) > 0); // exact profiles have no callers
	if (timed) {
		for (const [id, text, title] of [['by-flow', 'Own', 'By the time in their own code'], ['by-total', 'Cum', 'By their time with what they called'], ['by-file', 'Files', 'Packages by their time with what they called']]) {
			$(id).textContent = text;
			$(id).title = title;
		}
		$('where').hidden = false;
		const main = p.where.find(x => x.name === 'main module');
		add($('where'), 'main module ', h('b', {}, percent(main.share)), ', with what it called ', h('b', {}, percent(main.cum_share)));
		const most = (list, whole, name) => (list ?? []).slice(0, 3).filter(s => s.share >= whole / 10).map(s => `${name(s.name)} ${percent(s.share)}`).join(', ');
		add($('where-facts'),
			h('h2', {}, 'Where the time was'),
			h('p', {}, 'Shares of the CPU time: in the code itself, and with what it called. Who called C code is not known.'),
			h('table', {}, h('tr', {}, ['own', 'cum', 'where', 'most of it'].map(x => h('th', {}, x))), p.where.filter(x => x.share >= .0005 || x.cum_share >= .0005).map(x => h('tr', {},
				h('td', {class: 'num'}, percent(x.share)), h('td', {class: 'num'}, x.cum_share ? percent(x.cum_share) : ''), h('td', {}, x.name),
				h('td', {}, [most(x.in, x.share, x === main ? bare : name => name), most(x.for, x.share, bare)].map((text, i) => text && i ? 'for ' + text : text).filter(text => text).join('; '))))));
	} else if (p.outside > 0) {
		const advice = p.more > 0 ? `pepbuild build -peppkg=all would bring ${percent(p.more)} inside.` : '';
		$('outside').hidden = false;
		add($('outside'), '⚠ ', h('b', {}, percent(p.outside)), ' of the time not in paths');
		$('outside').title = `No path explains ${percent(p.outside)} of the CPU time. ${advice}`;
		add($('outside-facts'),
			h('h2', {}, `No path explains ${percent(p.outside)} of the CPU time`),
			h('p', {}, 'These ticks were outside of instrumented functions. What the page says is about the rest.'),
			p.outsideIn?.length ? [h('p', {}, 'Where they were, as shares of all ticks:'), h('div', {class: 'shares'}, p.outsideIn.map(s => callRow(s.name, s.share, percent(s.share))))] : '',
			p.more > 0 ? h('p', {}, 'Build the program with ', h('code', {}, 'pepbuild build -peppkg=all'), ` to bring ${percent(p.more)} inside.`) : h('p', {}, 'Instrumenting more packages would not bring more of them inside.'));
	}
	if (p.notes?.length) {
		$('notes').hidden = false;
		add($('notes'), plural(p.notes.length, 'note'));
		add($('notes-facts'), h('h2', {}, 'What is missing'), h('ul', {}, p.notes.map(n => h('li', {}, n))));
	}
	for (const button of document.querySelectorAll('[popovertarget]')) {
		const box = $(button.getAttribute('popovertarget'));
		box.addEventListener('beforetoggle', () => {
			const r = button.getBoundingClientRect();
			set(box, {style: {top: r.bottom + 6 + 'px', left: Math.max(12, Math.min(r.left, innerWidth - 392)) + 'px'}});
		});
	}
}

// ---- The list of functions

// The list draws only the rows in sight: a program may have tens of thousands.
const ROW = 24;
const modes = ['missing', 'flow', 'total', 'file'];
let mode = 'flow';       // one of them
let timed = false;       // the profile is of all packages, and says where the time was
let withRuntime = false; // functions of the Go runtime are in the list
let items = [];          // {f} for a function, {label, share, cum, key} for a package or a file, each with its level
let most = 0;            // the largest share of an item
let active = 0;          // the item that keys act on
const opened = new Set(); // keys of open packages and files

function buildItems() {
	const query = $('query').value.trim().toLowerCase();
	if (query) items = find(query);
	else if (mode === 'file') items = tree();
	else {
		items = functions.map((_, i) => ({f: i, level: 1})).filter(x => listed(functions[x.f].owner));
		if (mode !== 'flow' || timed) items.sort((a, b) => others(functions[a.f]) - others(functions[b.f]) || shareOf(b) - shareOf(a));
		const next = items.find(x => others(functions[x.f]));
		if (next) next.first = true;
	}
	most = items.reduce((m, x) => Math.max(m, shareOf(x)), 0);
	const n = items.length, unseen = functions.filter(f => f.state !== 'seen').length;
	$('list-heads').hidden = !timed;
	$('list-note').textContent = query ? plural(n, 'match', 'matches') :
		`${plural(functions.length, 'function')}, ${full(unseen)} ${program.exact ? 'not executed' : 'without a sample'}`;
	const role = items.some(x => x.key) ? 'tree' : 'listbox';
	$('list').setAttribute('role', role);
	$('list-rows').style.height = n * ROW + 'px';
	active = Math.max(0, items.findIndex(x => x.f === current));
	drawItems();
}

// shareOf is the share by which a row of the list has its place.
function shareOf(item) {
	if (item.f === undefined) return timed ? item.cum : item.share;
	const f = functions[item.f];
	return mode === 'missing' ? f.missing : mode === 'total' || timed && mode === 'file' ? cumOf(f) : ownOf(f);
}

// ownOf and cumOf are the shares of a function without and with what it called: of the time, or of the flow.
const ownOf = f => timed ? f.own : f.share;
const cumOf = f => timed ? f.cum : f.totalShare;

// What is not of the main module comes behind it, and the Go runtime only if it is wanted.
const RUNTIME = 3;
const listed = owner => !timed || withRuntime || owner !== RUNTIME;
const others = f => timed && f.owner > 0 ? 1 : 0;

// find returns functions whose names have all words of a query; then those that have its letters in
// this order.
function find(query) {
	const words = query.split(/\s+/), letters = query.replace(/\s+/g, '');
	const found = [[], [], []];
	functions.forEach((f, i) => {
		f.lower ??= f.name.toLowerCase();
		if (words.every(w => f.lower.includes(w))) {
			const local = f.lower.slice(f.package.length + 1).replace(/^\(\*?/, '');
			found[local.startsWith(words[0]) ? 0 : 1].push({f: i, level: 1, words});
			return;
		}
		let at = -1;
		for (const c of letters) if ((at = f.lower.indexOf(c, at + 1)) < 0) return;
		found[2].push({f: i, level: 1});
	});
	return found.flat();
}

let packages; // the tree, made when it is first wanted

function tree() {
	if (!packages) {
		const into = (map, key, label) => {
			if (!map.has(key)) map.set(key, {key, label, share: 0, cum: 0, children: new Map()});
			return map.get(key);
		};
		packages = new Map();
		functions.forEach((f, i) => {
			const p = into(packages, f.package, f.package || '(no package)');
			const name = f.short || f.file;
			const file = into(p.children, f.package + '\n' + name, name.slice(name.lastIndexOf('/') + 1) || '(no file)');
			p.owner = f.owner;
			p.share += ownOf(f);
			file.share += ownOf(f);
			file.cum = Math.max(file.cum, cumOf(f)); // for the order: of all its functions together it is not known
			file.children.set(i, {f: i});
		});
		for (const p of program.packages ?? []) if (packages.has(p.name)) packages.get(p.name).cum = p.cum;
		const sort = map => [...map.values()].sort((a, b) => others(a) - others(b) || shareOf(b) - shareOf(a));
		packages = sort(packages);
		for (const p of packages) for (const file of p.children = sort(p.children)) file.children = [...file.children.values()];
		if (packages.length) opened.add(packages[0].key);
	}
	const list = [];
	for (const p of packages) {
		if (!listed(p.owner)) continue;
		list.push({...p, level: 1, first: others(p) && list.length > 0 && !list.some(x => others(x))});
		if (!opened.has(p.key)) continue;
		for (const file of p.children) {
			list.push({...file, level: 2});
			if (opened.has(file.key)) for (const f of file.children) list.push({f: f.f, level: 3});
		}
	}
	return list;
}

function drawItems() {
	const box = $('list'), role = box.getAttribute('role') === 'tree' ? 'treeitem' : 'option';
	const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 10);
	const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 10);
	const rows = [];
	for (let i = first; i < last; i++) rows.push(drawItem(items[i], i, role));
	fill($('list-rows'), rows);
	if (active >= first && active < last) box.setAttribute('aria-activedescendant', 'item-' + active);
	else box.removeAttribute('aria-activedescendant');
}

function drawItem(item, i, role) {
	const f = item.f === undefined ? null : functions[item.f];
	const share = shareOf(item);
	const seen = !f || f.state === 'seen';
	const slash = f ? -1 : item.label.lastIndexOf('/'), dir = slash > 0 && item.label.slice(0, slash);
	const [pkg, local] = f ? nameOf(f) : ['', item.label.slice(slash + 1)];
	return h('div', {
		id: 'item-' + i, role, class: 'item' + (i === active ? ' active' : '') + (seen || timed && f.cum > 0 ? '' : ' cold') + (item.first ? ' first' : ''),
		'aria-selected': String(f !== null && item.f === current), 'aria-setsize': items.length, 'aria-posinset': i + 1,
		'aria-level': role === 'treeitem' ? item.level : null, 'aria-expanded': item.key === undefined ? null : String(opened.has(item.key)),
		title: f ? f.name + (seen ? '' : '\n' + stateTitle[f.state]) : item.key.replace('\n', ': '),
		style: {top: i * ROW + 'px', 'padding-left': 12 + 13 * (item.level - 1) + 'px'},
		onclick: () => activate(i),
	},
	h('i', {class: 'bar', style: {width: 100 * (most ? share / most : 0) + '%'}}),
	item.key !== undefined && h('span', {class: 'twist', 'aria-hidden': 'true'}, opened.has(item.key) ? '▾' : '▸'),
	h('span', {class: 'clip'}, mode === 'file' && !item.words && item.level > 1 ? '' : h('small', {}, pkg), marked(local, item.words), dir && h('small', {}, ' ' + dir)),
	timed && (!f || seen || f.cum > 0) ? [h('span', {class: 'value num time' + (mode === 'flow' ? '' : ' by'), title: 'with what it called'}, f ? percent(f.cum) : item.level === 1 ? percent(item.cum) : ''),
		h('span', {class: 'value num time' + (mode === 'flow' ? ' by' : ''), title: 'in its own code'}, percent(f ? f.own : item.share))] :
	h('span', {class: 'value num'}, f && mode === 'missing' ? full(f.missing) : seen || share > 0 ? percent(share) : stateText[f.state]));
}

// marked is a text with the first word of a query in it set apart.
function marked(text, words) {
	const at = words ? text.toLowerCase().indexOf(words[0]) : -1;
	return at < 0 ? text : [text.slice(0, at), h('mark', {}, text.slice(at, at + words[0].length)), text.slice(at + words[0].length)];
}

function activate(i) {
	const item = items[i];
	if (!item) return;
	active = i;
	if (item.key === undefined) {
		document.body.classList.remove('nav-open');
		go(item.f);
		return;
	}
	if (!opened.delete(item.key)) opened.add(item.key);
	const top = $('list').scrollTop;
	buildItems();
	$('list').scrollTop = top;
	active = i;
	drawItems();
}

function moveTo(i) {
	active = Math.max(0, Math.min(items.length - 1, i));
	const box = $('list');
	if (active * ROW < box.scrollTop) box.scrollTop = active * ROW;
	if ((active + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (active + 1) * ROW - box.clientHeight;
	drawItems();
}

function onListKey(e) {
	const item = items[active], page = Math.floor($('list').clientHeight / ROW) - 1;
	const open = item?.key !== undefined && opened.has(item.key);
	switch (e.key) {
	case 'ArrowDown': moveTo(active + 1); break;
	case 'ArrowUp': moveTo(active - 1); break;
	case 'PageDown': moveTo(active + page); break;
	case 'PageUp': moveTo(active - page); break;
	case 'Home': moveTo(0); break;
	case 'End': moveTo(items.length - 1); break;
	case 'Enter': case ' ': activate(active); break;
	case 'ArrowRight': if (item?.key !== undefined && !open) activate(active); else moveTo(active + 1); break;
	case 'ArrowLeft':
		if (open) activate(active);
		else for (let i = active; i >= 0; i--) if (items[i].level < item.level) { moveTo(i); break; }
		break;
	default: return;
	}
	e.preventDefault();
}

function setMode(m) {
	mode = m;
	for (const x of modes) $('by-' + x).setAttribute('aria-pressed', String(x === m));
	if (m === 'file') {
		tree();
		if (functions[current]) unfold(functions[current]);
	}
	buildItems();
	moveTo(active);
}

function nextMode() {
	const known = modes.filter(m => !$('by-' + m).hidden);
	return known[(known.indexOf(mode) + 1) % known.length];
}

// unfold opens the package and the file of a function.
const unfold = f => opened.add(f.package).add(f.package + '\n' + (f.short || f.file));

// ---- A function

let current = -1;  // index of the function that is shown
let detail = null; // of it
let picked = -1;   // index of the selected path
let stop = -1;     // of those where n and p go

async function showFunction(i) {
	const f = functions[i];
	current = i;
	detail = null;
	picked = stop = -1;
	document.title = `${nameOf(f).join('')} · ${program.program} · pep`;
	$('main').setAttribute('aria-busy', 'true');
	if (mode === 'file' && !items.some(x => x.f === i) && !$('query').value) {
		unfold(f);
		buildItems();
	}
	const at = items.findIndex(x => x.f === i);
	if (at >= 0) moveTo(at);
	let d = null, problem = '';
	try {
		d = await detailOf(i);
	} catch (e) {
		problem = `The details cannot be read: ${e.message}.`;
	}
	if (current !== i) return; // another one was wanted meanwhile
	detail = d;
	$('main').removeAttribute('aria-busy');
	showHead(f, d, problem);
	showRows(f, d);
	showCards(f, d);
	showGraph(f, d);
	drawRails();
	const hot = d?.paths?.[0] && lineRow(linesOf(d.paths[0])[0] ?? f.line);
	const box = $('scroll');
	box.scrollTop = hot && $('rows').lastChild.offsetTop > box.clientHeight ? Math.max(0, hot.offsetTop - box.clientHeight / 3) : 0;
	box.scrollLeft = 0;
}

function showHead(f, d, problem) {
	const [, local] = nameOf(f);
	const pkg = local === f.name ? '' : f.package + '.';
	const stat = (value, name, title) => h('div', {title}, h('dt', {}, name), h('dd', {}, value));
	const stats = [];
	if (f.state !== 'seen') stats.push(stat(stateText[f.state], program.exact ? 'not executed' : 'no sample shows it', stateTitle[f.state]));
	else if (!timed) stats.push(stat(percent(f.share), 'of the flow', `Of the program’s flow: ${full(f.flow)} branches on its paths`));
	if (timed) stats.push(stat(percent(f.own), 'of the time', 'In its own code'), stat(percent(f.cum), 'with what it called', 'Share of the CPU time'));
	else if (f.totalShare > 0) stats.push(stat(percent(f.totalShare), 'with what it called', `${full(f.total)} branches on its paths and on those in what it called`));
	if (d && f.state === 'seen') {
		const exact = program.exact ? '' : ', an estimate of ' + plural(f.samples, 'sample');
		stats.push(
			stat(short(f.count), 'paths executed', `${full(f.count)}${exact}`),
			stat(full(d.pathsSeen), d.pathsSeen === 1 ? 'distinct path' : 'distinct paths', 'that were seen'));
		if (!program.coverage) stats.push(
			stat(d.entropy.toFixed(2), 'bits of entropy', 'Of the counts of its paths: 0 if it always takes the same path'));
		if (d.paths?.length) stats.push(stat(percent(d.paths[0].share), 'hottest path', 'of the flow of this function'));
		const conditions = d.decisions?.flatMap(x => x.conditions).filter(c => !c.excluded) ?? [];
		if (conditions.length) stats.push(stat(`${full(conditions.filter(c => c.shown).length)} of ${full(conditions.length)}`, 'conditions shown', 'to decide on their own (MC/DC)'));
		if (d.outcomes) stats.push(stat(d.unseen ? h('button', {type: 'button', title: 'Go to the next one (n)', onclick: () => step(1)}, `${full(d.unseen)} of ${full(d.outcomes)}`) : `0 of ${full(d.outcomes)}`, 'outcomes never seen'));
	}
	const place = f.short || f.file;
	fill($('function'),
		h('h1', {}, h('small', {}, pkg), local),
		h('span', {class: 'place', title: f.file}, place ? `${place}:${f.line}` : 'no file'),
		h('dl', {class: 'stats'}, stats),
		problem && h('p', {class: 'banner'}, problem),
		d?.note && h('p', {class: 'banner'}, d.note),
		d && f.state === 'seen' && !d.reconciled && !program.exact && h('p', {class: 'note', title: 'No sample shows how one of its loops is entered or left.'}, 'The counts of this function are as they were sampled. Paths into a loop and out of it may differ.'));
}

const key = (file, line) => (file ?? '') + '\n' + line;

function group(list) {
	const m = new Map();
	for (const x of list ?? []) {
		const k = key(x.file, x.line);
		m.set(k, [...m.get(k) ?? [], x]);
	}
	return m;
}

// linesOf returns the lines of a path in increasing order.
function linesOf(path) {
	const lines = [];
	for (const [first, last] of path.lines ?? []) for (let n = first; n <= last; n++) lines.push(n);
	return lines;
}

let rowOf = new Map();    // rows of lines, by key
let lineOf = new Map();   // annotate.Line, by key
let heatOf = new Map();   // how hot lines are, from 0 to 1, by key
const lineRow = n => rowOf.get(key('', n));

function showRows(f, d) {
	rowOf = new Map();
	lineOf = new Map();
	heatOf = new Map();
	const rows = $('rows');
	rows.className = d?.lines?.length > 1000 ? 'long' : '';
	if (!d) {
		const why = {
			never: ['Never seen. ', `No sample shows this function: it ran rarely, or not at all. All that no sample shows has at most ${percent(program.unseen)} of all counts, with 95${UNIT} confidence.`],
			few: ['Few samples. ', 'No sample shows this function, and there are too few samples to say how rarely it ran. Run the program for longer.'],
			untold: ['Untold. ', `The compiler has left no instructions that tell the paths of this function (${f.untold}). -pepmode=polls and -pepmode=exact tell them.`],
		}[f.state];
		fill(rows, h('p', {class: 'empty'}, why && [h('b', {}, why[0]), program.exact ? 'No path of this function was executed.' : why[1]]));
		return;
	}
	const branches = group(d.branches), taps = group(d.taps?.filter(t => !isSite(t))), sites = group(d.taps?.filter(isSite));
	d.branches?.forEach((b, i) => b.number = i + 1);
	const top = (d.lines ?? []).reduce((m, l) => Math.max(m, l.count), 1);
	const lanes = Math.min(6, (d.paths ?? []).length + 1);
	rows.style.setProperty('--lanes', (d.paths?.length ? lanes * 15 + 8 : 6) + 'px');
	const all = [h('div', {class: 'rails'})];
	let file = '';
	for (const line of d.lines ?? []) {
		if ((line.file ?? '') !== file) {
			file = line.file ?? '';
			all.push(h('div', {class: 'other'}, file || f.short));
		}
		const k = key(line.file, line.line);
		lineOf.set(k, line);
		const here = sites.get(k) ?? [];
		here.forEach((t, i) => t.letter = String.fromCharCode(97 + i % 26));
		const row = lineElement(f, line, branches.get(k) ?? [], taps.get(k) ?? [], here, top);
		rowOf.set(k, row);
		all.push(row);
		const [reached, not] = [[], []];
		for (const b of branches.get(k) ?? []) (isReached(b) ? reached : not).push(b);
		for (const b of reached) all.push(branchElement(line, b));
		if (not.length) all.push(unreachedElement(line, not));
		for (const t of here) all.push(siteElement(f, line, t));
	}
	fill(rows, all);
	const first = rows.querySelector('.number');
	if (first) first.tabIndex = 0; // see onRowsKey
	if (!d.lines?.length) add(rows, h('p', {class: 'empty'}, 'There is no source. ', d.note ? '' : 'Is it where the program was built?'));
}

const gutter = (...children) => h('span', {class: 'gutter'}, ...children);

// A site is a tap that has a row of its own: an indirect call with the functions that it went to, or an interface with its types.
const isSite = t => t.kind === 'call' || t.kind === 'type';

function lineElement(f, line, branches, taps, sites, top) {
	const marks = [
		...branches.map(b => ({col: b.col, e: h('span', {class: 'marker', 'data-branch': b.number - 1, title: `${b.kind}, branch ${b.number}`}, b.number)})),
		...sites.filter(t => t.col > 0).map(t => ({col: t.col, e: h('span', {class: 'marker site', title: `${t.kind} ${t.expr}`}, t.letter)})),
	].sort((a, b) => a.col - b.col);
	const code = h('span', {class: 'code'}, texts(line.text ?? [], marks));
	const seen = line.state === 'seen';
	const strength = seen && line.count > 0 ? .07 + .55 * Math.max(0, 1 + Math.log10(line.count / top) / 3) : 0;
	heatOf.set(key(line.file, line.line), strength);
	let count = '', title = null;
	if (seen) {
		count = short(line.count);
		title = `${full(line.count)} times${program.exact ? '' : ', an estimate'}${line.raw !== line.count ? `; ${full(line.raw)} as sampled` : ''}`;
	} else if (line.state !== 'none') {
		count = {ran: ran(), untold: '?'}[line.state] ?? '–';
		title = stateTitle[line.state];
	}
	const row = h('div', {class: 'row line' + (line.state === 'never' || line.state === 'few' ? ' cold' : ''), 'data-line': line.line},
		gutter(
			h('span', {class: 'heat' + (seen ? '' : ' faint'), title, style: {'--a': strength.toFixed(2)}}, count),
			h('a', {class: 'number', href: link(f, {L: line.line}), tabindex: '-1', 'aria-label': 'Line ' + line.line}, line.line)),
		code);
	if (taps.length) {
		const open = chip => {
			const was = chip.getAttribute('aria-expanded') === 'true';
			for (const c of row.querySelectorAll('.tap')) c.setAttribute('aria-expanded', String(!was));
			if (was) for (const e of row.values) e.remove();
			else row.after(...row.values = taps.map(t => tapElement(line, t)));
			drawRails();
		};
		for (const t of taps.slice(0, 2)) {
			add(code, h('button', {type: 'button', class: 'tap', 'aria-expanded': 'false', title: `${t.kind} ${t.expr} ${t.type}: ${plural(t.events, 'event')}`, onclick: e => open(e.currentTarget)},
				clip(t.expr, 24), valueText(t)));
		}
		if (taps.length > 2) add(code, h('button', {type: 'button', class: 'tap', 'aria-expanded': 'false', 'aria-label': `${taps.length - 2} more expressions with values`, onclick: e => open(e.currentTarget)}, '+' + (taps.length - 2)));
	}
	return row;
}

// valueText is the most frequent value of a tap, if one is frequent.
function valueText(t) {
	const best = t.values?.[0];
	if (!best) return null;
	if (best.share < .05) return ' varies';
	return [' = ', h('b', {}, clip(best.text, 28)), ' ', percent(best.share)];
}

const clip = (text, n) => text.length > n ? text.slice(0, n - 1) + '…' : text;

// texts returns the coloured runs of a line, with markers at their columns. Columns are of bytes, runs are of UTF-16.
function texts(runs, marks) {
	const out = [];
	let column = 1;
	for (const [cls, text] of runs) {
		let part = '';
		const flush = () => {
			if (part) out.push(cls ? h('span', {class: cls}, part) : part);
			part = '';
		};
		for (const c of text) {
			while (marks.length && marks[0].col <= column) {
				flush();
				out.push(marks.shift().e);
			}
			part += c;
			const code = c.codePointAt(0);
			column += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		}
		flush();
	}
	return [...out, ...marks.map(m => m.e)];
}

// indent is the width of the white space that a line begins with.
function indent(line) {
	let n = 0;
	for (const c of (line.text ?? []).map(r => r[1]).join('')) {
		if (c === '\t') n += 4 - n % 4;
		else if (c === ' ') n++;
		else break;
	}
	return n;
}

// beneath is a row without a line of source of its own, as far to the right as its line.
function beneath(line, cls, ...children) {
	return h('div', {class: 'row branch ' + cls, 'data-line': line.line}, gutter(),
		h('span', {class: 'inside', style: {'padding-left': indent(line) + 'ch'}}, h('span', {class: 'text'}, ...children)));
}

const bar = (...parts) => h('span', {class: 'split', 'aria-hidden': 'true'}, ...parts);
const part = (share, cls) => h('i', {class: cls ?? null, style: {width: 100 * share + '%'}});
const bound = (low, high) => program.exact || high <= low ? null : h('s', {class: 'bound', style: {left: 100 * low + '%', width: 100 * (high - low) + '%'}});

// isReached reports whether anything is known of a branch.
const isReached = b => b.state === 'seen' || (b.outcomes ?? []).some(o => o.state === 'ran');

const marker = b => h('span', {class: 'marker', 'aria-hidden': 'true'}, b.number);

// unreachedElement is one row for all branches of a line of which nothing is known.
function unreachedElement(line, branches) {
	const text = {ran: `${ran()}, no sample`, few: 'not reached, few samples', untold: 'untold'}, [{state}] = branches;
	return beneath(line, '',
		branches.map(b => [marker(b), h('span', {class: 'kind'}, b.kind)]),
		h('span', {class: 'outcome'}, h('span', {class: `tag ${state}` + (state === 'ran' ? '' : ' unseen'), title: stateTitle[state]}, text[state] ?? 'never reached')));
}

function branchElement(line, b) {
	const i = b.number - 1;
	const row = beneath(line, '', marker(b), h('span', {class: 'kind', title: `branch ${b.number}: decided ${full(b.count)} times`}, b.kind));
	const text = row.querySelector('.text');
	row.dataset.branch = i;
	const light = on => () => {
		row.classList.toggle('lit', on);
		$('rows').querySelector(`.code .marker[data-branch="${i}"]`)?.classList.toggle('lit', on);
	};
	row.addEventListener('mouseenter', light(true));
	row.addEventListener('mouseleave', light(false));
	const outcomes = b.outcomes ?? [];
	if (outcomes.length <= 2) {
		const first = outcomes[0];
		add(text, bar(outcomes.map(o => part(o.share, side(o.name))), first && b.state === 'seen' && bound(first.low, first.high)), outcomes.map((o, k) => outcomeElement(o, i, k)));
		return row;
	}
	// A switch has a bar for each case; a long one shows the hottest at first.
	const FOLD = 6, KEEP = 5;
	text.classList.add('many');
	const ways = h('span', {class: 'ways'});
	const best = outcomes.map((o, k) => k).sort((x, y) => outcomes[y].share - outcomes[x].share || x - y).slice(0, KEEP);
	const show = all => {
		fill(ways);
		outcomes.forEach((o, k) => {
			if (all || outcomes.length <= FOLD || best.includes(k)) add(ways, bar(part(o.share, side(o.name)), o.state === 'seen' && bound(o.low, o.high)), outcomeElement(o, i, k));
		});
		if (outcomes.length > FOLD) {
			const rest = outcomes.filter((_, k) => !best.includes(k));
			const never = rest.filter(o => o.state === 'never' || o.state === 'few').length;
			add(ways, h('span'), h('button', {type: 'button', class: 'more', 'aria-expanded': String(all), onclick: () => { show(!all); drawRails(); ways.querySelector('.more').focus(); }},
				all ? 'show fewer' : `+${rest.length} more` + (never ? `, ${never} never seen` : '')));
		}
		markTaken();
	};
	row.unfold = () => show(true);
	add(text, ways);
	show(false);
	return row;
}

function outcomeElement(o, branch, k) {
	const attributes = {class: 'outcome', 'data-outcome': `${branch}.${k}`};
	const name = h('b', {class: side(o.name)}, clip(o.name, 40));
	switch (o.state) {
	case 'seen': {
		if (o.name === 'untold') {
			attributes.title = stateTitle.untold;
			return h('span', attributes, name, ' ', full(o.count), ' times');
		}
		const raw = o.raw !== o.count ? `, ${full(o.raw)} as sampled` : '';
		attributes.title = `${o.name}: ${full(o.count)} times${raw}` + (program.exact ? '' : `; 95${UNIT} bounds ${percent(o.low)} to ${percent(o.high)}`) + `; goes to line ${o.line}`;
		return h('span', attributes, name, ' ', percent(o.share), ' ', program.exact ? '' : h('small', {}, bounds(o.low, o.high)));
	}
	case 'ran':
		attributes.title = `${o.name}: ${stateTitle.ran}`;
		return h('span', attributes, name, ' ', h('span', {class: 'tag ran'}, ran()));
	case 'never':
		attributes.title = program.exact ? `${o.name}: never taken` : `${o.name}: no sample shows it; with 95${UNIT} confidence it has at most ${percent(o.high)} of the branch`;
		return h('span', attributes, name, ' ', h('span', {class: 'tag never unseen'}, program.exact ? 'never taken' : 'never seen, ' + atMost(o.high)));
	}
	attributes.title = `${o.name}: ${stateTitle[o.state]}`;
	return h('span', attributes, name, ' ', h('span', {class: `tag ${o.state} unseen`}, stateText[o.state]));
}

// siteElement is a row with the most frequent functions or types; a button shows all.
function siteElement(f, line, t) {
	const values = t.values ?? [];
	let few = 0; // with 95 % of the events, three at most, as in pep list
	for (let sum = 0; few < 3 && few < values.length && sum < .95; few++) sum += values[few].share;
	if (few === values.length - 1) few++;
	const row = beneath(line, 'site', h('span', {class: 'marker site', 'aria-hidden': 'true'}, t.letter), h('span', {class: 'kind', title: `${t.expr} ${t.type}: ${plural(t.events, 'event')}`}, t.kind));
	const local = name => name.startsWith(f.package + '.') ? name.slice(f.package.length + 1) : bare(name);
	const outcome = v => {
		const i = t.kind === 'call' ? byName.get(v.text) : undefined, name = t.kind === 'call' ? local(v.text) : v.text;
		return h('span', {class: 'outcome', title: `${v.text}\n${percent(v.share)}, 95${UNIT} bounds ${percent(v.low)} to ${percent(v.high)}`},
			h('b', {}, i === undefined ? clip(name, 40) : h('a', {href: link(functions[i])}, clip(name, 40))), ' ', percent(v.share), ' ', v.high > v.low ? h('small', {}, bounds(v.low, v.high)) : '');
	};
	const show = all => {
		const shown = all ? values : values.slice(0, few);
		const rest = values.slice(few).reduce((sum, v) => sum + v.share, 0);
		fill(text, head, bar(values.slice(0, 6).map(v => part(v.share))), shown.map(outcome),
			few < values.length && h('button', {type: 'button', class: 'more', 'aria-expanded': String(all), onclick: () => { show(!all); drawRails(); text.querySelector('.more').focus(); }},
				all ? 'show fewer' : `${values.length - few} others ${percent(rest)}`));
	};
	const text = row.querySelector('.text'), head = [...text.children];
	show(false);
	return row;
}

function tapElement(line, t) {
	const values = t.values ?? [];
	return beneath(line, 'tapped',
		h('span', {class: 'what', title: plural(t.events, 'event')}, t.kind, ' ', h('code', {}, t.expr), t.type && ' ' + t.type, ` · ${short(t.events)}`),
		bar(values.map(v => part(v.share))),
		values.map(v => h('span', {class: 'outcome', title: `${v.text}\n${percent(v.share)}, 95${UNIT} bounds ${percent(v.low)} to ${percent(v.high)}`}, h('b', {}, clip(v.text, 40)), ' ', percent(v.share), ' ', v.high > v.low ? h('small', {}, bounds(v.low, v.high)) : '')),
		t.more > 0 && h('small', {}, `+${full(t.more)} more`));
}

// ---- Rails

// drawRails draws the five hottest paths, and the selected one, beside the lines that they execute.
function drawRails() {
	measureMap();
	const holder = $('rows').querySelector('.rails');
	if (!holder || !detail?.paths?.length) return;
	const shown = detail.paths.map((_, k) => k).slice(0, 5);
	if (picked >= 5) shown.push(picked);
	const top = Math.max(...shown.map(k => detail.paths[k].flow), 1);
	// A place is drawn with the middle of its line as y; offsets are of the rows, as rails scroll with them.
	const y = n => {
		const row = lineRow(n);
		return row ? row.offsetTop + 10 : null;
	};
	const isCode = n => {
		const line = lineOf.get(key('', n));
		return line !== undefined && line.state !== 'none';
	};
	// Without the program's file nothing is known of code that was not executed, but how it looks.
	const looksLikeCode = n => !detail.graph?.nodes?.length && lineOf.get(key('', n))?.text?.some(([cls, text]) => cls !== 'c' && /\w/.test(text));
	const svg = g('svg', {width: 88, height: contentHeight(), role: 'group'}, g('title', {}, 'The hottest paths beside the lines that they execute'));
	shown.forEach((k, lane) => {
		const path = detail.paths[k];
		const lines = linesOf(path).filter(n => lineRow(n) && isCode(n));
		if (!lines.length) return;
		const x = 11 + 15 * lane, width = Math.max(1.5, 6 * Math.sqrt(path.flow / top));
		const marks = [];
		for (let j = 1; j < lines.length; j++) {
			const a = y(lines[j - 1]), b = y(lines[j]);
			let between = false; // code that the path does not execute
			for (let n = lines[j - 1] + 1; n < lines[j]; n++) between ||= isCode(n) || looksLikeCode(n);
			marks.push(between ?
				g('path', {class: 'jump', d: `M${x} ${a}C${x + 11} ${a + 14} ${x + 11} ${b - 14} ${x} ${b}`, 'stroke-width': .5 * width + .6}) :
				g('path', {class: 'run', d: `M${x} ${a}V${b}`, 'stroke-width': width}));
		}
		for (const n of lines) marks.push(g('circle', {cx: x, cy: y(n), r: .5 * width + 1.2, 'data-line': n}));
		const start = y(lines[0]), end = y(lines.at(-1));
		if (path.loop) { // back to where it began
			const head = lineRow(path.line) ? y(path.line) : start;
			const last = Math.max(end, head + 1);
			marks.push(g('path', {class: 'back', d: `M${x} ${last + 3}C${x - 9} ${last + 9} ${x - 9} ${head - 9} ${x - 1.5} ${head - 3}`, 'stroke-width': 1.2}));
			marks.push(g('path', {d: `M${x - 6} ${head - 5.5}L${x - 1.2} ${head - 2.6}L${x - 5.4} ${head + 1.6}`, 'stroke-width': 1.2}));
		} else {
			if (path.from === 'entry') marks.push(g('path', {class: 'entry', d: `M${x - 3.5} ${start - 11}L${x} ${start - 6.5}L${x + 3.5} ${start - 11}`, 'stroke-width': 1.6}));
			else marks.push(g('path', {class: 'from', d: `M${x - 9} ${start}H${x}`, 'stroke-width': 1.6})); // out of a loop
			marks.push(g('path', {class: 'end', d: `M${x - 3.5} ${end + 7}h7`, 'stroke-width': 1.6}));
		}
		add(svg, g('g', {
			class: `rail p${lane}` + (k === picked ? ' on' : ''), role: 'button', tabindex: '0', 'aria-pressed': String(k === picked), 'data-path': k,
			'aria-label': `Path ${k + 1}, ${percent(path.share)} of the flow`,
			onclick: () => pick(k),
			onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); pick(k); } },
		}, g('title', {}, `${path.name}: ${percent(path.share)} of the flow, ${full(path.count)} times, ${origin(path)}`), g('path', {class: 'grab', d: `M${x} ${start}V${end}`}), marks));
	});
	fill(holder, svg);
}

function origin(path) {
	if (path.from === 'entry') return 'from entry';
	if (path.from === 'loop') return `${path.loop ? 'round of' : 'out of'} the loop at ${path.line}`;
	return `from ${path.from} at ${path.line}`;
}

// laneOf is the class with the colour of a path.
const laneOf = k => 'p' + Math.min(k, 5);

// pick selects a path, or none if it is selected already.
function pick(k) {
	if (detail?.paths?.[k]) go(current, picked === k ? {} : {p: k + 1});
}

function showPicked(k) {
	picked = detail?.paths?.[k] ? k : -1;
	const rows = $('rows'), path = detail?.paths?.[picked];
	const colour = `var(--${laneOf(picked)})`;
	rows.classList.toggle('picked', picked >= 0);
	rows.style.setProperty('--picked', colour);
	const on = new Set(path ? linesOf(path) : []);
	const decided = new Set(path?.branches?.map(d => d.branch));
	for (const row of rows.querySelectorAll('.row')) {
		const branch = row.dataset.branch;
		row.classList.toggle('on', branch === undefined ? on.has(Number(row.dataset.line)) : decided.has(Number(branch)));
	}
	markTaken();
	for (const card of $('cards').querySelectorAll('.card[data-path]')) {
		const is = Number(card.dataset.path) === picked;
		card.setAttribute('aria-pressed', String(is));
		if (is) card.scrollIntoView({block: 'nearest'});
	}
	showSteps();
	drawRails();
	markGraph(path, colour);
	if (path) lineRow(linesOf(path)[0])?.scrollIntoView({block: 'nearest'});
}

// markTaken marks the outcomes that the selected path takes.
function markTaken() {
	const taken = new Set(detail?.paths?.[picked]?.branches?.map(d => `${d.branch}.${d.outcome}`));
	for (const e of $('rows').querySelectorAll('.outcome')) e.classList.toggle('taken', taken.has(e.dataset.outcome));
}

// ---- Right: paths and calls

function callRow(name, share, value, target, title) {
	const attributes = {class: 'call', title};
	if (target) attributes.href = target;
	return h(target ? 'a' : 'div', attributes, h('i', {class: 'bar', style: {width: 100 * Math.min(1, share) + '%'}}), h('span', {class: 'clip'}, name), h('span', {class: 'value num'}, value));
}

function showCards(f, d) {
	const box = $('cards');
	box.scrollTop = 0;
	if (!d) {
		fill(box, h('h2', {}, 'Hot paths'), h('p', {class: 'note'}, 'No path of this function was seen.'));
		return;
	}
	const paths = d.paths ?? [];
	const keys = Math.min(9, paths.length);
	const all = [decisionCards(d.decisions ?? []), h('h2', {}, 'Hot paths', keys > 1 ? h('span', {class: 'note'}, h('kbd', {}, '1'), ' – ', h('kbd', {}, keys)) : '')];
	paths.forEach((path, k) => {
		all.push(h('button', {type: 'button', class: 'card ' + laneOf(k), 'data-path': k, 'aria-pressed': 'false', onclick: () => pick(k), title: `${full(path.count)} times${path.raw !== path.count ? `, ${full(path.raw)} as sampled` : ''}; flow ${full(path.flow)}`},
			h('span', {class: 'head'}, h('b', {}, percent(path.share), program.exact || !path.high ? '' : [' ', h('small', {}, bounds(path.low, path.high))]), h('span', {}, short(path.count) + ' times')),
			bar(part(path.share), bound(path.low, path.high)),
			h('span', {class: 'about'}, h('span', {}, `${path.name} · ${origin(path)}`), program.exact ? '' : h('span', {}, plural(path.samples, 'sample'))),
			h('span', {class: 'steps'})));
	});
	if (!paths.length) all.push(h('p', {class: 'note'}, f.state === 'never' ? 'No path of this function was executed.' : 'No sample shows a path of this function. It ran: what a sample shows cannot have run without it.'));
	if (d.morePaths > 0) all.push(h('p', {class: 'note'}, `${plural(d.morePaths, 'more path')} with ${percent(d.moreShare)} of the flow`));
	const calls = (title, list, note) => {
		if (!list?.length) return;
		all.push(h('h2', {}, title, h('span', {class: 'note'}, note)));
		for (const c of list) {
			const i = byName.get(c.name);
			const label = i === undefined ? c.name || '(not recorded)' : nameOf(functions[i]).join('');
			all.push(callRow([label, c.line ? h('small', {}, ' :' + c.line) : ''], c.share, percent(c.share), i === undefined ? null : link(functions[i]), `${c.name || 'no caller was recorded'}${c.line ? `, call in line ${c.line}` : ''}: ${full(c.count)} paths`));
		}
	};
	calls('Called from', d.callers, 'share of recorded calls');
	calls('Calls', d.callees, 'share of recorded calls');
	fill(box, all);
	showSteps();
}

const VECTORS = 12; // of a decision: more do not fit

// decisionCards are tables of decisions: a row for each condition, a column for each execution, then for each that
// is missing.
function decisionCards(decisions) {
	if (!decisions.length) return [];
	const cell = v => h('td', {class: {T: 'yes', F: 'no'}[v] ?? ''}, {T: 'T', F: 'F'}[v] ?? '·');
	const cards = decisions.map(d => {
		const goals = d.conditions.filter(c => !c.excluded), missing = goals.filter(c => !c.shown).length;
		const columns = [...d.vectors.slice(0, VECTORS).map(v => [v, '']), ...d.wanted.slice(0, VECTORS).map(v => [v, 'wanted'])];
		const rest = d.vectors.length + d.wanted.length - columns.length;
		const row = (head, title, of) => h('tr', {}, h('th', {scope: 'row', title}, head), columns.map(([v, kind]) => {
			const td = of(v, kind);
			if (kind) td.classList.add(kind);
			return td;
		}));
		const place = d.file ? `${d.file.split('/').pop()}:${d.line}` : `line ${d.line}`;
		return h('div', {class: 'card decision'},
			h('a', {class: 'head', href: d.file ? null : link(functions[current], {L: d.line}), title: d.text}, h('b', {title: d.file}, place), h('span', {}, missing ? `${missing} of ${goals.length} not shown` : 'all shown')),
			h('div', {class: 'vectors', tabindex: 0, role: 'region', 'aria-label': `Decision in ${place}`}, h('table', {},
				d.conditions.map((c, i) => row([h('i', {class: c.shown || c.excluded ? 'shown' : 'hidden'}, c.shown ? '✓' : c.excluded ? '–' : '✗'), ' ', c.text], c.text + ': ' + (c.excluded ?? (c.shown ? 'shown to decide on its own' : 'not shown to decide on its own')), v => cell(v.values[i]))),
				row('decides', 'The value of the decision', v => cell(v.outcome ? 'T' : 'F')),
				row('times', 'Executions', (v, kind) => h('td', {title: kind ? 'would show a condition' : full(v.count) + ' times'}, kind ? 'want' : short(v.count))))),
			rest > 0 && h('p', {class: 'note'}, plural(rest, 'more column')));
	});
	return [h('h2', {}, 'Decisions', h('span', {class: 'note'}, 'MC/DC')), cards];
}

// showSteps lists the branches of each path, all of the selected one's, the first of the others'.
function showSteps() {
	for (const card of $('cards').querySelectorAll('.card[data-path]')) {
		const k = Number(card.dataset.path);
		const steps = detail.paths[k].branches ?? [];
		const n = k === picked ? steps.length : k < 5 ? Math.min(steps.length, 7) : 0;
		const list = steps.slice(0, n).map(({branch, outcome}) => {
			const b = detail.branches[branch], o = b?.outcomes?.[outcome];
			return o ? [h('small', {}, b.line), h('b', {class: 'clip ' + side(o.name), title: o.name}, o.name), h('span', {class: 'clip', title: condition(b)}, condition(b))] : null;
		});
		if (n < steps.length) list.push(h('span', {class: 'rest'}, n ? `and ${plural(steps.length - n, 'more branch', 'more branches')}` : plural(steps.length, 'branch', 'branches')));
		if (!steps.length) list.push(h('span', {class: 'rest'}, 'no branches, so it has no flow'));
		fill(card.querySelector('.steps'), list);
	}
}

// condition is the source of a branch, up to the next branch of its line.
function condition(b) {
	if (b.condition !== undefined) return b.condition;
	const line = lineOf.get(key(b.file, b.line));
	const encode = t => [...new TextEncoder().encode(t)]; // columns are of bytes
	const bytes = (line?.text ?? []).flatMap(([cls, t]) => cls === 'c' ? encode(t).fill(32) : encode(t));
	const cut = (from, to) => new TextDecoder().decode(new Uint8Array(bytes.slice(from - 1, to))).trim();
	const later = detail.branches.filter(c => c.file === b.file && c.line === b.line && c.col > b.col).map(c => c.col - 1);
	const tidy = t => {
		t = t.replace(/^(if|for|switch|select|case)\b\s*/, '').replace(/[\s{:]+$/, '').replace(/(\s|&&|\|\||[!(])+$/, '');
		while (t.endsWith(')') && t.split(')').length > t.split('(').length) t = t.slice(0, -1);
		return t;
	};
	return b.condition = later.length && tidy(cut(b.col, Math.min(...later))) || tidy(cut(b.col)) || cut(1) || b.kind;
}

// ---- Right: the graph

const LARGE = 700; // nodes: beyond, a drawing takes long and shows nothing

function showGraph(f, d) {
	const box = $('drawing'), nodes = d?.graph?.nodes ?? [];
	fill(box);
	$('graph').hidden = !d;
	$('graph-note').textContent = nodes.length ? plural(nodes.length, 'block') : '';
	if (!$('graph').classList.contains('open') || !d) return;
	if (!nodes.length) add(box, h('p', {class: 'note'}, 'There is no graph: the program’s file was not found. Give it with -program FILE.'));
	else if (nodes.length > LARGE) add(box, h('p', {class: 'note'}, 'The graph is too large to draw.'));
	else {
		const svg = graphElement(f, nodes);
		add(box, svg);
		const entry = svg.querySelector('.node').getBBox();
		box.scrollTop = 0;
		box.scrollLeft = entry.x + entry.width / 2 - box.clientWidth / 2;
	}
}

// enlarge has the graph cover the page, or not.
function enlarge(large) {
	$('graph').classList.toggle('large', large);
	$('enlarge').setAttribute('aria-pressed', String(large));
	if (large) foldGraph(false);
}

function foldGraph(folded) {
	if (folded) enlarge(false);
	if (folded === !$('graph').classList.contains('open')) return;
	$('graph').classList.toggle('open', !folded);
	$('fold').setAttribute('aria-expanded', String(!folded));
	if (current < 0 || folded) return;
	showGraph(functions[current], detail);
	markGraph(detail?.paths?.[picked], `var(--${laneOf(picked)})`);
}

const countText = n => n ? full(n) + ' times' : program.exact ? 'not executed' : 'no sample';

function graphElement(f, nodes) {
	const label = n => n.first ? n.first === n.last || !n.last ? String(n.first) : `${n.first}–${n.last}` : '·';
	const layout = layoutGraph(nodes, nodes.map(n => 6.2 * label(n).length + 14));
	const top = nodes.reduce((m, n) => Math.max(m, n.count), 1);
	const svg = g('svg', {viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height, role: 'group'},
		g('title', {}, `Control-flow graph of ${f.name}: ${plural(nodes.length, 'block')}, widths by count`));
	const arcs = layout.arcs.map(a => {
		const share = a.arc.count / top, width = a.arc.count > 0 ? 1 + 4 * Math.sqrt(share) : 1;
		const cls = a.arc.count > 0 ? a.arc.name ? side(a.arc.name) : '' : 'unseen';
		let d = '';
		if (a.self) {
			const [x, y] = a.points[0];
			d = `M${x} ${y + 4}c16 6 16 -14 1 -8`;
		} else a.points.forEach(([x, y], j) => {
			if (j === 0) { d = `M${x} ${y}`; return; }
			const [px, py] = a.points[j - 1], bend = (y - py) * .45;
			d += `C${px} ${py + bend} ${x} ${y - bend} ${x} ${y}`;
		});
		const [x, y] = a.points.at(-1), tip = 2.4 + width * .8, turn = a.back ? -1 : 1;
		const marks = [g('path', {class: 'arc ' + cls, d, 'stroke-width': width})];
		if (a.arc.to < 0) marks.push(g('path', {class: 'arc ' + cls, d: `M${x - 6} ${y}h12`, 'stroke-width': 2}));
		else if (!a.self) marks.push(g('path', {class: 'tip ' + cls, d: `M${x - tip} ${y - 1.6 * tip * turn}h${2 * tip}L${x} ${y + turn}z`}));
		const text = `${a.arc.name ? a.arc.name + ': ' : ''}${countText(a.arc.count)}${a.arc.to < 0 ? ', leaves the function' : ''}`;
		return g('g', {'data-arc': `${a.from} ${a.arc.to}`}, g('title', {}, text), marks);
	});
	add(svg, ...arcs);
	nodes.forEach((n, i) => {
		const {x, y, w, h: height} = layout.nodes[i];
		const box = {x: x - w / 2, y: y - height / 2, width: w, height, rx: 4};
		const a = n.count > 0 ? .08 + .5 * Math.max(0, 1 + Math.log10(n.count / top) / 3) : 0;
		const shape = [g('title', {}, `${n.first ? `lines ${label(n)}: ` : ''}${countText(n.count)}`),
			g('rect', box), g('rect', {...box, class: 'heat-fill', style: {'--a': a.toFixed(2)}}), g('text', {x, y}, label(n))];
		const cls = 'node' + (n.count > 0 ? '' : ' cold');
		add(svg, n.first ? g('a', {class: cls, 'data-node': i, href: link(f, {L: n.first}), 'aria-label': `Lines ${label(n)}`}, shape) : g('g', {class: cls, 'data-node': i}, shape));
	});
	if (layout.width > 560) svg.classList.add('wide');
	return svg;
}

const toggleGraph = () => foldGraph($('graph').classList.contains('open'));

// markGraph sets the blocks and edges of a path apart.
function markGraph(path, colour) {
	const svg = $('drawing').querySelector('svg');
	if (!svg) return;
	const nodes = path?.nodes ?? [];
	svg.classList.toggle('chosen', nodes.length > 0);
	svg.style.setProperty('--picked', colour);
	const on = new Set(nodes), arcs = new Set();
	nodes.forEach((n, j) => { if (j) arcs.add(`${nodes[j - 1]} ${n}`); });
	for (const e of svg.querySelectorAll('.node')) e.classList.toggle('on', on.has(Number(e.dataset.node)));
	for (const e of svg.querySelectorAll('[data-arc]')) for (const m of e.querySelectorAll('.arc, .tip')) m.classList.toggle('on', arcs.has(e.dataset.arc));
}

// ---- The map at the right of the source

let mapMarks = []; // {y, heat} of lines that ran and {y} of outcomes that were never seen, as rows stand

function measureMap() {
	mapMarks = [];
	for (const [k, row] of rowOf) {
		const heat = heatOf.get(k);
		if (heat) mapMarks.push({y: row.offsetTop, heat});
	}
	for (const e of $('rows').querySelectorAll('.unseen')) mapMarks.push({y: e.closest('.row').offsetTop + 5});
	drawMap();
}

function drawMap() {
	const canvas = $('map'), box = $('scroll'), scale = devicePixelRatio || 1;
	const width = canvas.clientWidth, height = canvas.clientHeight;
	canvas.width = width * scale;
	canvas.height = height * scale;
	const total = contentHeight();
	if (!total) return;
	const c = canvas.getContext('2d');
	c.scale(scale, scale);
	const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
	const ratio = Math.min(height / total, 1), hot = colour('--heat'), unseen = colour('--warn');
	for (const {y, heat} of mapMarks) {
		c.fillStyle = heat ? `rgb(${hot} / ${Math.min(1, .1 + 1.4 * heat)})` : unseen;
		if (heat) c.fillRect(1, y * ratio, width - 6, Math.max(1.5, 20 * ratio));
		else c.fillRect(width - 4, y * ratio, 3, Math.max(2, 8 * ratio));
	}
	c.fillStyle = colour('--mute');
	c.globalAlpha = .22;
	if (total > box.clientHeight) c.fillRect(0, box.scrollTop * ratio, width, box.clientHeight * ratio);
}

// contentHeight is the height of the rows, without the space beneath them.
function contentHeight() {
	const last = $('rows').lastElementChild;
	return last && rowOf.size ? last.offsetTop + last.offsetHeight + 8 : 0;
}

function onMap(e) {
	if (e.type === 'pointermove' && !e.buttons) return;
	const box = $('scroll'), canvas = $('map');
	const ratio = Math.min(canvas.clientHeight / contentHeight(), 1);
	box.scrollTop = (e.clientY - canvas.getBoundingClientRect().top) / ratio - box.clientHeight / 2;
}

// ---- Addresses and keys

function link(f, more = {}) {
	let text = '#f=' + encodeURIComponent(f.name);
	for (const [k, v] of Object.entries(more)) text += `&${k}=${v}`;
	return text;
}

function go(i, more) {
	const f = functions[i];
	if (!f) return;
	const address = link(f, more);
	if (address !== location.hash) history.pushState(null, '', address);
	render(i);
}

let rendering = Promise.resolve();

// render shows what the address says. Names of functions need not be unique: wanted is the index of
// the function, if that is known.
function render(wanted) {
	const address = new Map(location.hash.slice(1).split('&').map(x => {
		const [k, v = ''] = x.split('=');
		try {
			return [k, decodeURIComponent(v)];
		} catch {
			return [k, ''];
		}
	}));
	rendering = (async () => {
		const name = address.get('f');
		let i = wanted ?? (current >= 0 && functions[current].name === name ? current : byName.get(name));
		if (i === undefined) {
			if (name) say(`This program has no function ${name}.`);
			if (current >= 0) return;
			i = (timed && items.find(x => functions[x.f]?.state === 'seen') || items.find(x => x.f !== undefined))?.f ?? 0;
		}
		if (i !== current) await showFunction(i);
		if (i !== current) return;
		drawItems();
		showPicked(Number(address.get('p') ?? 0) - 1);
		$('rows').querySelector('.target')?.classList.remove('target');
		const row = address.has('L') && lineRow(Number(address.get('L')));
		if (row) {
			row.classList.add('target');
			row.scrollIntoView({block: 'center'});
		}
	})();
	return rendering;
}

let silence;

// say shows a sentence for a moment.
function say(text) {
	$('status').textContent = text;
	clearTimeout(silence);
	silence = setTimeout(() => $('status').textContent = '', 4000);
}

// step goes to the next outcome that was never taken, or to the one before.
function step(by) {
	for (const row of $('rows').querySelectorAll('.row')) row.unfold?.();
	drawRails();
	const stops = [...$('rows').querySelectorAll('.unseen')];
	if (!stops.length) {
		say('Every outcome of this function was seen.');
		return;
	}
	$('rows').querySelector('.hit')?.classList.remove('hit');
	stop = stop < 0 ? by > 0 ? 0 : stops.length - 1 : (stop + by + stops.length) % stops.length;
	const e = stops[stop], row = e.closest('.row');
	e.classList.add('hit');
	row.scrollIntoView({block: 'center'});
	say(`${stop + 1} of ${stops.length}: line ${row.dataset.line}, ${row.querySelector('.kind').textContent} ${e.closest('.outcome').textContent}`);
}

const keys = [
	['/', 'search functions'],
	['j  k', 'next and previous function'],
	['1 … 9', 'select a path, or none'],
	['n  p', 'next and previous outcome that was never taken'],
	['f', 'functions in the next order'],
	['g', 'show or hide the graph'],
	['Esc', 'leave: the search, the path'],
	['?', 'these keys'],
];

function showKeys() {
	if (!$('keys').firstChild) {
		add($('keys'), h('h2', {id: 'keys-title'}, 'Keys'),
			h('dl', {}, keys.map(([k, what]) => [h('dt', {}, k.split('  ').map((x, i) => [i ? ' ' : '', h('kbd', {}, x)])), h('dd', {}, what)])),
			h('p', {class: 'note'}, 'In the list, arrows move and Enter opens. In the source, arrows move between numbers of lines.'),
			h('button', {type: 'button', onclick: () => $('keys').close()}, 'Close'));
	}
	if (!$('keys').open) $('keys').showModal();
}

// neighbour returns the function before or after the current one in the list.
function neighbour(by) {
	const list = items.filter(x => x.f !== undefined);
	const at = list.findIndex(x => x.f === current);
	return at < 0 ? list[0]?.f : list[at + by]?.f;
}

function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
	if (e.target === $('query')) {
		if (e.key === 'Escape') {
			if ($('query').value) { $('query').value = ''; buildItems(); }
			$('query').blur();
			e.preventDefault();
		}
		return;
	}
	if (e.key >= '1' && e.key <= '9') {
		pick(Number(e.key) - 1);
		return;
	}
	switch (e.key) {
	case '/': openList(true); $('query').focus(); $('query').select(); break;
	case 'j': go(neighbour(1)); break;
	case 'k': go(neighbour(-1)); break;
	case 'n': step(1); break;
	case 'p': step(-1); break;
	case 'f': setMode(nextMode()); break;
	case 'g': toggleGraph(); break;
	case '?': showKeys(); break;
	case 'Escape':
		if (document.body.classList.contains('nav-open')) openList(false);
		else if ($('graph').classList.contains('large')) enlarge(false);
		else if (picked >= 0) pick(picked);
		return;
	default: return;
	}
	e.preventDefault();
}

function openList(open) {
	document.body.classList.toggle('nav-open', open);
	$('menu').setAttribute('aria-expanded', String(open));
}

// The numbers of lines are one stop of the Tab key; arrows move between them.
function onRowsKey(e) {
	if (!e.target.classList.contains('number') || !/^Arrow(Up|Down)$/.test(e.key)) return;
	const all = [...rowOf.values()].map(r => r.querySelector('.number'));
	const next = all[all.indexOf(e.target) + (e.key === 'ArrowDown' ? 1 : -1)];
	if (!next) return;
	next.focus();
	e.preventDefault();
}

function listen() {
	$('list').addEventListener('scroll', drawItems);
	$('list').addEventListener('keydown', onListKey);
	$('query').addEventListener('input', () => { buildItems(); active = 0; $('list').scrollTop = 0; drawItems(); });
	$('query').addEventListener('keydown', e => {
		if (e.key === 'Enter' && items.length) { activate(active); $('query').blur(); }
		else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') onListKey(e);
	});
	for (const m of modes) $('by-' + m).addEventListener('click', () => setMode(m));
	$('runtime').addEventListener('click', () => {
		withRuntime = !withRuntime;
		$('runtime').setAttribute('aria-pressed', String(withRuntime));
		setMode(mode);
	});
	$('menu').addEventListener('click', () => openList(!document.body.classList.contains('nav-open')));
	$('help').addEventListener('click', showKeys);
	$('rows').addEventListener('keydown', onRowsKey);
	$('rows').addEventListener('focusin', e => {
		if (!e.target.classList.contains('number')) return;
		for (const a of $('rows').querySelectorAll('.number[tabindex="0"]')) a.tabIndex = -1;
		e.target.tabIndex = 0;
	});
	$('scroll').addEventListener('scroll', drawMap);
	$('map').addEventListener('pointerdown', onMap);
	$('map').addEventListener('pointermove', onMap);
	$('enlarge').addEventListener('click', () => enlarge(!$('graph').classList.contains('large')));
	$('fold').addEventListener('click', toggleGraph);
	new ResizeObserver(() => drawItems()).observe($('list'));
	new ResizeObserver(() => drawRails()).observe($('scroll'));
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawMap);
	addEventListener('keydown', onKey);
	addEventListener('popstate', () => render());
}

async function start() {
	program = await block('index');
	functions = program.functions ?? [];
	byName = new Map();
	let n = 0;
	ordinals = functions.map(f => f.state === 'seen' || f.state === 'ran' || f.missing > 0 ? n++ : -1);
	for (let i = functions.length - 1; i >= 0; i--) byName.set(functions[i].name, i);
	timed = program.where?.length > 0;
	showTop();
	setMode(program.coverage ? 'missing' : timed ? 'total' : 'flow');
	performance.mark('list');
	listen();
	if (functions.length) await render();
	else fill($('rows'), h('p', {class: 'empty'}, 'This profile has no functions.'));
	document.body.dataset.ready = 'true';
}

start().catch(e => {
	fill($('rows'), h('p', {class: 'banner'}, typeof DecompressionStream === 'undefined' ?
		'This browser cannot decompress what the page holds. These can: Chrome and Edge 80, Firefox 113, Safari 16.4, and later ones.' :
		`The page cannot be shown: ${e.message}.`));
	throw e;
});
