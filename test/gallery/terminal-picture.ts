import type { ScreenCell } from "../tui/program.ts";
import { fromSvg } from "./svg.ts";

/* A terminal's screen as a picture: its cells as SVG, and that as WebP. */

const CELL = { width: 9, height: 19, baseline: 14.5, fontSize: 14.9 } as const;
const PADDING = 14;
const PAPER = "#16181a";
const INK = "#d8dad6";

/** The first sixteen colours, as terminals of today show them; then a cube of 216, then 24 greys. */
const NAMED = [
	...["#1d2023", "#e0645c", "#7cb668", "#d9a84e", "#6ea1e0", "#c08adf", "#5fb8b8", "#d8dad6"],
	...["#7c8187", "#f08a82", "#9fd48c", "#efc778", "#93bdf2", "#d6aef0", "#86d6d6", "#ffffff"],
];

/** Of a frame's letters, the sides of the cell that they reach: fonts leave gaps between them. */
const LINES: Readonly<Record<string, string>> = {
	...{ "─": "we", "│": "ns", "╭": "es", "╮": "ws", "╰": "ne", "╯": "nw" },
	...{ "├": "nes", "┤": "nws", "┬": "wes", "┴": "wen", "┼": "news" },
};

export async function terminalPicture(rows: readonly (readonly ScreenCell[])[]): Promise<Buffer> {
	// Twice as large as it is shown, so that letters stay sharp.
	return await fromSvg(screenSvg(rows), { density: 144 }).webp({ quality: 82, effort: 6 }).toBuffer();
}

function screenSvg(rows: readonly (readonly ScreenCell[])[]): string {
	const width = Math.max(...rows.map((row) => row.length)) * CELL.width + 2 * PADDING;
	const height = rows.length * CELL.height + 2 * PADDING;
	const drawn = rows.flatMap((row, at) => row.flatMap((cell, column) => drawCell(cell, column, at)));
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>text { font: ${CELL.fontSize}px "DejaVu Sans Mono", "Liberation Mono", monospace; white-space: pre }</style>
<rect width="${width}" height="${height}" rx="10" fill="${PAPER}"/>
<g shape-rendering="crispEdges">${drawn.filter((one) => one.startsWith("<rect")).join("")}</g>
${drawn.filter((one) => !one.startsWith("<rect")).join("")}
</svg>`;
}

/** What a cell shows: its ground, and a letter or, of half a block, the colour of its upper half. */
function drawCell(cell: ScreenCell, column: number, row: number): string[] {
	const [left, top] = [PADDING + column * CELL.width, PADDING + row * CELL.height];
	const [ink, ground] = coloursOf(cell);
	const box = (fill: string, share: number) =>
		`<rect x="${left}" y="${top}" width="${CELL.width}" height="${CELL.height * share}" fill="${fill}"/>`;
	const drawn = ground === undefined ? [] : [box(ground, 1)];
	if (cell.text === "▀") return [...drawn, box(ink, 0.5)];
	if (cell.text === "█") return [box(ink, 1)];
	if (cell.text.trim() === "") return drawn;
	const line = LINES[cell.text];
	if (line !== undefined) return [...drawn, drawLine(line, { left, top }, ink)];
	const look = `${cell.isBold ? ' font-weight="bold"' : ""}${cell.isDim ? ' opacity=".6"' : ""}`;
	return [...drawn, `<text x="${left}" y="${top + CELL.baseline}" fill="${ink}"${look}>${escaped(cell.text)}</text>`];
}

/** From the middle of the cell to each of the sides; two that meet at a corner are bent. */
function drawLine(sides: string, { left, top }: { left: number; top: number }, ink: string): string {
	const [x, y] = [left + CELL.width / 2, top + CELL.height / 2];
	const ends: Readonly<Record<string, string>> = {
		n: `${x} ${top}`,
		s: `${x} ${top + CELL.height}`,
		w: `${left} ${y}`,
		e: `${left + CELL.width} ${y}`,
	};
	const [first = "", second = ""] = [...sides].map((side) => ends[side] ?? "");
	const isCorner = sides.length === 2 && sides !== "we" && sides !== "ns";
	const path = isCorner
		? `M${first} Q${x} ${y} ${second}`
		: [...sides].map((side) => `M${x} ${y} L${ends[side]}`).join(" ");
	return `<path d="${path}" fill="none" stroke="${ink}" stroke-width="1.2"/>`;
}

/** Of the letter and of its ground; none is the paper. */
function coloursOf({ ink, ground, isInverse }: ScreenCell): readonly [string, string | undefined] {
	const [front, back] = [colourOf(ink) ?? INK, colourOf(ground)];
	return isInverse ? [back ?? PAPER, front] : [front, back];
}

function colourOf(colour: ScreenCell["ink"]): string | undefined {
	if (colour === undefined) return undefined;
	if (colour.kind === "rgb") return `#${colour.value.toString(16).padStart(6, "0")}`;
	const named = NAMED[colour.value];
	if (named !== undefined) return named;
	if (colour.value >= 232) return grey(8 + (colour.value - 232) * 10);
	const place = colour.value - 16;
	const part = (step: number) => (step === 0 ? 0 : 55 + step * 40);
	return `rgb(${part(Math.floor(place / 36))},${part(Math.floor(place / 6) % 6)},${part(place % 6)})`;
}

function grey(value: number): string {
	return `rgb(${value},${value},${value})`;
}

function escaped(text: string): string {
	return text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
