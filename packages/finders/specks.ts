/* Parts of a mask that are not worth keeping. */

/** Parts smaller than this share of the largest are left out. */
const SPECK = 0.08;

/** What is inside (1) without its specks. */
export function withoutSpecks(inside: Uint8Array, width: number): Uint8Array {
	const labels = new Int32Array(inside.length);
	const sizes = [0];
	for (let start = 0; start < inside.length; start++) {
		if (inside[start] !== 1 || labels[start] !== 0) continue;
		sizes.push(flood(inside, labels, width, start, sizes.length));
	}
	const least = Math.max(...sizes) * SPECK;
	return inside.map((value, index) => (value === 1 && (sizes[labels[index] ?? 0] ?? 0) >= least ? 1 : 0));
}

/** Labels one connected part and returns its size. */
function flood(inside: Uint8Array, labels: Int32Array, width: number, start: number, label: number): number {
	const open = [start];
	labels[start] = label;
	let size = 0;
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		size++;
		for (const next of neighbours(at, width)) {
			if (inside[next] !== 1 || labels[next] !== 0) continue;
			labels[next] = label;
			open.push(next);
		}
	}
	return size;
}

/** The neighbour above or below may lie outside of the picture, where its value is undefined. */
function neighbours(at: number, width: number): number[] {
	const next = [at - width, at + width];
	if (at % width > 0) next.push(at - 1);
	if (at % width < width - 1) next.push(at + 1);
	return next;
}
