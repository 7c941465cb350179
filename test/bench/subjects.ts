import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finder } from "@svc/finders/child";
import { openFaceFinder } from "@svc/finders/faces";
import type { RawPicture } from "@svc/finders/picture";
import { openSubjectFinder, type SubjectMask } from "@svc/finders/subject";
import sharp from "sharp";
import { analysed } from "../support/finder-models.ts";
import { drawn, overlap, subjectFile } from "../support/subject-masks.ts";
import { SUBJECT_PICTURES } from "../support/subject-pictures.ts";
import { printTable, ratioOf, shown, spreadOf } from "./measure.ts";

/*
 * `bun test/bench/subjects.ts [--cuts <folder>] [model.onnx …]`: how well finders cut out what a person would (intersection over union with
 * the masks drawn by hand), and what that costs in processor time, as a ratio to finding the faces of the same picture. Pictures that are
 * in neither SVC_TEST_CORPUS nor SVC_TEST_SUBJECTS are left out. `--cuts` puts each cut-out on magenta there, to look at.
 */

const { values, positionals } = parseArgs({ options: { cuts: { type: "string" } }, allowPositionals: true });

const finders = [
	{ name: "built in", finder: openSubjectFinder() },
	...positionals.map((modelPath) => ({ name: modelPath, finder: openSubjectFinder({ modelPath }) })),
];
const faces = openFaceFinder();
/** A clock tick of /proc, in milliseconds. */
const TICK_MS = 10;

/** User and system time of a process so far, in milliseconds. */
async function processorMs(pid: number | undefined): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, "utf8");
	const [user = 0, system = 0] = stat
		.slice(stat.lastIndexOf(")") + 2)
		.split(" ")
		.slice(11, 13)
		.map(Number);
	return (user + system) * TICK_MS;
}

async function measured<Found>(finder: Finder<Found>, picture: RawPicture): Promise<{ found: Found; ms: number }> {
	const before = await processorMs(finder.pid);
	const found = await finder.find(picture);
	return { found, ms: (await processorMs(finder.pid)) - before };
}

async function keepCut(name: string, { data, width, height }: RawPicture, mask: SubjectMask | undefined) {
	if (values.cuts === undefined) return;
	await mkdir(values.cuts, { recursive: true });
	const alpha = mask?.alpha ?? new Uint8Array(width * height).fill(255);
	const cut = sharp(data, { raw: { width, height, channels: 3 } }).joinChannel(Buffer.from(alpha), {
		raw: { width, height, channels: 1 },
	});
	await sharp(await cut.png().toBuffer())
		.flatten({ background: "#ff00ff" })
		.png()
		.toFile(join(values.cuts, `${name}.png`));
}

const rows: string[][] = [];
const overlaps = finders.map((): number[] => []);
const spent = finders.map((): number[] => []);
const onFaces: number[] = [];
for (const picture of SUBJECT_PICTURES) {
	const path = subjectFile(picture);
	if (!path) continue;
	const pixels = await analysed(path);
	const wanted = drawn(picture, pixels.width, pixels.height);
	// The first picture also starts the process.
	for (const { finder } of [...finders, { finder: faces }]) if (finder.pid === undefined) await finder.find(pixels);
	onFaces.push((await measured(faces, pixels)).ms);
	const cells: string[] = [];
	for (const [index, { name, finder }] of finders.entries()) {
		const { found, ms } = await measured<SubjectMask | undefined>(finder, pixels);
		const share = overlap(found?.alpha ?? new Uint8Array(wanted.length).fill(255), wanted);
		overlaps[index]?.push(share);
		spent[index]?.push(ms);
		cells.push(share.toFixed(3));
		await keepCut(`${picture.file}-${index}${name === "built in" ? "" : "-own"}`, pixels, found);
	}
	rows.push([picture.file, ...cells]);
}
printTable("intersection over union", ["picture", ...finders.map(({ name }) => name)], rows);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
printTable(
	`over ${rows.length} of ${SUBJECT_PICTURES.length} pictures`,
	["finder", "mean", "median", "worst", "at least 0.9", "ms of a core", "times finding faces"],
	finders.map(({ name }, index) => {
		const shares = overlaps[index] ?? [];
		const { median, min } = spreadOf(shares);
		return [
			name,
			...[mean(shares), median, min].map((share) => share.toFixed(3)),
			`${shares.filter((share) => share >= 0.9).length}`,
			shown(spreadOf(spent[index] ?? []), 0),
			shown(ratioOf(spent[index] ?? [], onFaces), 1),
		];
	}),
);
for (const { finder } of finders) finder.close();
faces.close();
