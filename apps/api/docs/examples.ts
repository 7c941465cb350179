import { readdir, readFile } from "node:fs/promises";
import type { Addresses } from "@svc/base/addresses";
import { EXAMPLE_SHEETS, EXAMPLES } from "@svc/base/processes/programs";
import { zip } from "@svc/base/streams/zip";
import type { ApiRooms } from "../kit/rooms.ts";
import { readDownload, runningFile } from "./downloads.ts";
import { ourAddresses } from "./paths.ts";

/* The example programs, each as a page that shows its files, and as an archive that starts by `npm start`. */

export interface Example {
	readonly name: string;
	/** Paths in its folder, and their texts; README.md and package.json first. */
	readonly files: ReadonlyMap<string, string>;
}

/**
 * What belongs to an example. Whoever tries one in a checkout leaves more there: packages, what was built, a file with their key. A service
 * that shows its examples to the world shows none of that.
 */
const BELONGS =
	/^(?!.*(^|\/)(\.|node_modules\/|dist\/|package-lock\.json))[\w./-]+\.(mjs|js|jsx|json|html|css|md|env|py|txt|astro|svg)$/;
const SECRET = /\b(svc_[a-z]+_|whsec_)\w{12}/;
const FIRST = ["README.md", "package.json"];
/** Files of code are shown up to here. */
const SHOWN_LETTERS_MAX = 30_000;
/** All entries of an archive are from one day, so that it is the same each time. */
const CHANGED_MS = Date.UTC(2000, 0, 1);

/** @param addresses those of the service, where they are to be taken from */
export async function readExamples(addresses: Addresses, folder: URL = EXAMPLES): Promise<readonly Example[]> {
	const entries = await readdir(folder, { withFileTypes: true });
	const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
	return await Promise.all(names.sort().map((name) => readExample(name, new URL(`${name}/`, folder), addresses)));
}

async function readExample(name: string, folder: URL, addresses: Addresses): Promise<Example> {
	const sheet = EXAMPLE_SHEETS[name];
	const lying = (await readdir(folder, { recursive: true })).map((path) => path.replaceAll("\\", "/"));
	const found = new Set([...lying, ...(sheet === undefined ? [] : [sheet])]);
	const paths = [...FIRST, ...[...found].filter((path) => !FIRST.includes(path)).sort()];
	const files = new Map<string, string>();
	for (const path of paths.filter((one) => found.has(one) && BELONGS.test(one))) {
		const text = await readFile(path === sheet ? new URL("../style.css", folder) : new URL(path, folder), "utf8");
		if (!SECRET.test(text)) files.set(path, ourAddresses(text, addresses));
	}
	return { name, files };
}

/** Its README, where to take it, and all its files, as Markdown. */
export function exampleMarkdown({ name, files }: Example): string {
	const [readme = "", ...code] = [...files].map(([path, text]) =>
		path === "README.md" ? text : fileMarkdown(path, text),
	);
	const taken = `[Download it](/docs/examples/${name}.zip)${files.has("package.json") ? ": in its folder, `npm start` is enough" : ""}. In a checkout of Svc it lies in \`examples/${name}\`.`;
	const [title = "", ...rest] = readme.split("\n\n");
	return `${[title, rest[0], taken, ...rest.slice(1)].join("\n\n").trimEnd()}\n\n${code.join("\n")}`;
}

function fileMarkdown(path: string, text: string): string {
	if (text.length > SHOWN_LETTERS_MAX) return "";
	const language = path.slice(path.lastIndexOf(".") + 1);
	return `## ${path}\n\n\`\`\`\`${language} file=${path}\n${text.trimEnd()}\n\`\`\`\`\n`;
}

/** A ZIP of its folder, with what package.json names of Svc beside it. */
export async function exampleArchive({ name, files }: Example, rooms: ApiRooms): Promise<Uint8Array<ArrayBuffer>> {
	const parts: Uint8Array[] = [];
	for await (const part of zip(entriesOf({ name, files }, rooms))) parts.push(part);
	return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function* entriesOf({ name, files }: Example, rooms: ApiRooms) {
	for (const [path, text] of files)
		yield { name: `${name}/${path}`, changedMs: CHANGED_MS, content: new TextEncoder().encode(text) };
	for (const [, room = ""] of (files.get("package.json") ?? "").matchAll(/"file:svc-(sdk|cli)-/g)) {
		const file = await runningFile(rooms, room);
		yield { name: `${name}/${file}`, changedMs: CHANGED_MS, content: await readDownload(rooms, file) };
	}
}
