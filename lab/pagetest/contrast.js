// The value of this file is the list of visible texts whose contrast is too low, by the formula of the
// Web Content Accessibility Guidelines 2.2. Colours are computed styles, blended from the root to the
// text. For text of an SVG they are of the shapes before it in its group, too.
(() => {
	const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const parse = colour => { // as [r, g, b, a] of 0 to 1
		context.clearRect(0, 0, 1, 1);
		context.fillStyle = colour;
		context.fillRect(0, 0, 1, 1);
		return [...context.getImageData(0, 0, 1, 1).data].map(x => x / 255);
	};
	const over = (top, under) => under.map((u, i) => top[i] * top[3] + u * (1 - top[3]));
	const luminance = c => {
		const [r, g, b] = c.map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b;
	};
	const problems = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let texts = 0;
	for (let text; text = walker.nextNode();) {
		const e = text.parentElement;
		if (!text.data.trim() || !e.checkVisibility({visibilityProperty: true}) || /^(SCRIPT|STYLE|NOSCRIPT|title)$/.test(e.tagName)) continue;
		texts++;
		const style = getComputedStyle(e), isSVG = e instanceof SVGElement;
		let background = [1, 1, 1], opacity = 1;
		const ancestors = [];
		for (let a = e; a; a = a.parentElement) ancestors.unshift(a);
		for (const a of ancestors) {
			const s = getComputedStyle(a);
			opacity *= Number(s.opacity);
			background = over(parse(s.backgroundColor), background);
		}
		if (isSVG) for (const shape of e.parentElement.querySelectorAll(':scope > rect')) {
			const fill = getComputedStyle(shape).fill;
			if (fill !== 'none') background = over(parse(fill), background);
		}
		const colour = parse(isSVG ? style.fill : style.color);
		colour[3] *= opacity;
		const [a, b] = [luminance(over(colour, background)), luminance(background)];
		const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (contrast < 4.5) problems.push(`${contrast.toFixed(2)}: "${text.data.trim().slice(0, 30)}" in ${e.tagName}.${e.getAttribute('class')} of .${e.parentElement.getAttribute('class')}`);
	}
	return texts < 30 ? ['only ' + texts + ' texts'] : [...new Set(problems)];
})()
