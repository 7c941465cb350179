/* What docs/operate/measured.md says, row by row: which bench measures it, beside what, and under which conditions. */

/** A word before the figure, the beginning of the row's name in the bench's table, and the name of the column. */
type Figure = readonly [name: string, row: string, column: string];

export interface MeasuredRow {
	/** Its file and words. */
	readonly bench: readonly string[];
	readonly what: string;
	readonly beside: string;
	/** Connections, cache, disk, efforts of the peer: all that a reader has to know to make the same figure. */
	readonly conditions: string;
	readonly figures: readonly Figure[];
}

const FORMATS = [
	["JPEG", "jpg"],
	["WebP", "webp"],
	["AVIF", "avif"],
] as const;
const IMGPROXY = "imgproxy 4.0.12";
const EFFORTS = "imgproxy set to the efforts of this service (WebP 2, AVIF speed 9)";
const OTHERS = ["Node 22", "Node 24", "Deno"];

const sizesOf = (master: string): readonly Figure[] =>
	FORMATS.map(([name, output]) => [name, `${master} to ${output}`, "svc/imgproxy"]);
const kept = (where: string, column: string): readonly Figure[] =>
	["25 KB", "75 KB", "304"].map((name) => [name, `${name}, ${where}`, column]);
const onOthers = (row: string): readonly Figure[] => OTHERS.map((name) => [name, row, name]);

/** Rows that one run of a bench makes. */
const of = (bench: readonly string[], ...rows: readonly Omit<MeasuredRow, "bench">[]): readonly MeasuredRow[] =>
	rows.map((row) => ({ bench, ...row }));

export const MEASURED: readonly MeasuredRow[] = [
	...of(
		["test/bench/peers.ts", "2048² to|12 MP to|life", "5"],
		{
			what: "a new rendition, 400 to 512 pixels wide, of 4 megapixels",
			beside: IMGPROXY,
			conditions: `one connection; sizes of one picture after each other, whose copies are there; ${EFFORTS}`,
			figures: sizesOf("2048²"),
		},
		{ what: "the same of 12 megapixels", beside: IMGPROXY, conditions: "the same", figures: sizesOf("12 MP") },
		{
			what: "an upload and seven renditions of it",
			beside: `${IMGPROXY}, which only reads a file`,
			conditions: "one connection; all that follows an upload is counted",
			figures: [
				["12 MP", "life of 12 MP", "svc/imgproxy"],
				["4 MP", "life of 2048²", "svc/imgproxy"],
			],
		},
	),
	...of(["test/bench/old-pictures.ts", "", "5"], {
		what: "one rendition, 600 pixels wide, of an old picture",
		beside: IMGPROXY,
		conditions: "its smaller copies have left the cache; all that follows is counted",
		figures: ["12 MP", "2048²"].flatMap((master) =>
			[
				["JPEG", "jpg"],
				["WebP", "webp"],
			].map(([name, output]) => [`${master} ${name}`, `${master} to ${output}`, "svc/imgproxy"] as const),
		),
	}),
	...of(["test/bench/creates.ts", "5"], {
		what: "an upload with all that follows",
		beside: "one decode of the same file by the same library",
		conditions: "4 connections; nobody asks for a size",
		figures: ["600×400", "1 MP", "3 MP"].map((name) => [name, name, "create/decode"] as const),
	}),
	...of(["test/bench/peers.ts", "read|list|change", "5"], {
		what: "one image; a list of 50; a change",
		beside: "PocketBase 0.39.9",
		conditions: "16 connections, 200 images; PocketBase built so that it syncs each commit, as this service does",
		figures: [
			["read", "read an image", "svc/pocketbase"],
			["list", "list of 50", "svc/pocketbase"],
			["change", "change an image", "svc/pocketbase"],
		],
	}),
	...of(
		["test/bench/cached.ts", "5"],
		{
			what: "a rendition that is kept",
			beside: "a bare server of the same bytes and headers",
			conditions: "wrk, 64 connections, kept in memory",
			figures: kept("quiet", "service/bare"),
		},
		{
			what: "the same beside as many busy neighbours as cores",
			beside: "the same server beside them",
			conditions: "the same",
			figures: kept("beside neighbours", "service/bare"),
		},
		{
			what: "a rendition that is kept",
			beside: "nginx, which sends a file",
			conditions: "wrk, 64 connections; sendfile, no log",
			figures: kept("quiet", "service/nginx"),
		},
	),
	...of(["test/bench/slow-disk.ts"], {
		what: "beside 16 clients that write: a kept picture, `/healthz`",
		beside: "nothing: milliseconds of the clock, half of them and 99 of 100",
		conditions: "each sync of the disk takes 20 ms more; 16 clients against one: changes a second",
		figures: [
			["kept", "fsync 20 ms", "kept picture"],
			["healthz", "fsync 20 ms", "/healthz"],
			["one", "fsync 20 ms", "changes/s, 1"],
			["sixteen", "fsync 20 ms", "16"],
		],
	}),
	...of(
		["test/bench/runtimes.ts"],
		...[
			["a kept rendition", "GET image, cached"],
			["a list", "list of images"],
			["an upload of 12 megapixels", "upload"],
			["a new rendition", "GET image, rendered"],
		].map(([what = "", row = ""]) => ({
			what: `${what}, on another runtime`,
			beside: "the same on Bun",
			conditions: "8 connections; milliseconds of the processor, and how many times those on Bun",
			figures: onOthers(row),
		})),
	),
];
