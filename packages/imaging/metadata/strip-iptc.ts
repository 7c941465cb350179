import { ascii, concat, startsWith, viewOf } from "../bytes.ts";

/** Photoshop's image resource that holds IPTC datasets. */
const IPTC_RESOURCE = 0x0404;
const RESOURCE_MARK = "8BIM";
const DATASET_MARK = 0x1c;

/** Record and dataset numbers (IPTC-IIM 4.2): coded character set, by-line, copyright notice. */
const CHARACTER_SET = 0x015a;
const KEPT = new Set([CHARACTER_SET, 0x0250, 0x0274]);
const MAX_DATASETS = 20;
const MAX_DATASET_BYTES = 2_000;

/** Photoshop resources with only the by-lines and the copyright notice of others. Undefined when there are none. */
export function copyrightIptc(resources: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	const datasets = [...readDatasets(findIptc(resources))].slice(0, MAX_DATASETS);
	if (!datasets.some(({ id }) => id !== CHARACTER_SET)) return undefined;
	const iptc = concat(datasets.map(({ bytes }) => bytes));
	// Mark, number, an empty name of two bytes, and the length of the datasets, which are padded to an even number.
	const head = concat([ascii(RESOURCE_MARK), new Uint8Array(8)]);
	viewOf(head).setUint16(4, IPTC_RESOURCE);
	viewOf(head).setUint32(8, iptc.length);
	return concat([head, iptc, new Uint8Array(iptc.length % 2)]);
}

function findIptc(resources: Uint8Array): Uint8Array {
	const view = viewOf(resources);
	let at = 0;
	while (at + 12 <= resources.length && startsWith(resources.subarray(at, at + 4), RESOURCE_MARK)) {
		const nameBytes = 1 + (resources[at + 6] ?? 0);
		const sizeAt = at + 6 + nameBytes + (nameBytes % 2);
		if (sizeAt + 4 > resources.length) break;
		const size = view.getUint32(sizeAt);
		const start = sizeAt + 4;
		if (view.getUint16(at + 4) === IPTC_RESOURCE) return resources.subarray(start, start + size);
		at = start + size + (size % 2);
	}
	return new Uint8Array();
}

function* readDatasets(iptc: Uint8Array): Generator<{ readonly id: number; readonly bytes: Uint8Array }> {
	const view = viewOf(iptc);
	let at = 0;
	while (at + 5 <= iptc.length && iptc[at] === DATASET_MARK) {
		const id = view.getUint16(at + 1);
		// The top bit would announce an extended length; no notice is that long, and the end check stops there.
		const end = at + 5 + view.getUint16(at + 3);
		if (end > iptc.length) return;
		if (KEPT.has(id) && end - at <= MAX_DATASET_BYTES) yield { id, bytes: iptc.subarray(at, end) };
		at = end;
	}
}
