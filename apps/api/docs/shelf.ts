import { readFile } from "node:fs/promises";
import { type KeptFile, keepFile, sendFile } from "../kit/kept.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import css from "./docs.css" with { type: "text" };
import { exampleArchive } from "./examples.ts";
import { missingHtml, type PageFrame, pageHtml, searchHtml } from "./layout.ts";
import { type Library, openLibrary } from "./library.ts";
import { llmsText } from "./llms.ts";
import { movedTo, ROOT_PATH } from "./paths.ts";
import { search } from "./search/search.ts";
import { type Index, type ListedOperation, openIndex } from "./search/search-index.ts";
import { KEYWORDS } from "./search/search-keywords.ts";

/* All pages are rendered when the first one is asked for, and kept. */

const HEADERS = {
	"Content-Security-Policy":
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	"Referrer-Policy": "no-referrer",
};
const HTML = { ...HEADERS, "Content-Type": "text/html; charset=utf-8" };
const STYLESHEET = `${ROOT_PATH}/docs.css`;
const QUERY_MAX = 100;

/** `/docs` showed the API document once: a link to one of its calls goes on leading there. */
const FORWARD = `if (location.hash.startsWith("#/")) location.replace("/docs/api#" + location.hash.split("/").pop());\n`;

/** A button on each piece of code. Browsers let pages copy over TLS and on the machine itself alone. */
const COPY = `for (const code of navigator.clipboard ? document.querySelectorAll(".code") : []) {
	const button = document.createElement("button");
	button.type = "button";
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(code.querySelector("code").textContent);
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 2000);
	});
	code.querySelector(".caption").append(button);
}
`;

const PICTURE_TYPES: Readonly<Record<string, string>> = {
	webp: "image/webp",
	png: "image/png",
	svg: "image/svg+xml",
};

/** What was rendered, by its path. */
export class Shelf {
	readonly #rooms: ApiRooms;
	readonly #kept = new Map<string, Promise<KeptFile>>();
	readonly #operations: () => Promise<readonly ListedOperation[]>;
	#library: Promise<Library> | undefined;
	#index: Promise<Index> | undefined;

	/** @param operations those of the API, asked for at the first search */
	constructor(rooms: ApiRooms, operations: () => Promise<readonly ListedOperation[]>) {
		this.#rooms = rooms;
		this.#operations = operations;
	}

	/** The first page, or what is found for a question. */
	async front(request: Request): Promise<Response> {
		const { searchParams } = new URL(request.url);
		const query = searchParams.get("q")?.trim().slice(0, QUERY_MAX);
		if (!query) return this.answer(request);
		const frame = await this.frame();
		this.#index ??= this.#openIndex(frame.library);
		const withNotes = searchParams.get("notes") === "1";
		const html = searchHtml(frame, query, search(await this.#index, query, withNotes), withNotes);
		return new Response(html, {
			headers: { ...HTML, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
		});
	}

	async answer(request: Request): Promise<Response> {
		const { pathname } = new URL(request.url);
		const frame = await this.frame();
		const moved = movedTo(pathname);
		if (moved !== undefined) return new Response(null, { status: 308, headers: { Location: moved } });
		const make = makerOf(frame, pathname, this.#rooms);
		if (make === undefined) {
			const headers = { ...HTML, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
			return new Response(missingHtml(frame), { status: 404, headers });
		}
		const kept = this.#kept.get(pathname) ?? make();
		this.#kept.set(pathname, kept);
		return sendFile(request, await kept);
	}

	async #openIndex(library: Library): Promise<Index> {
		return openIndex(library, await this.#operations(), KEYWORDS);
	}

	/** What stands around each page. */
	async frame(): Promise<PageFrame> {
		this.#library ??= openLibrary(this.#rooms.addresses);
		return { name: this.#rooms.name, library: await this.#library, stylesheet: STYLESHEET };
	}
}

/** How the file at a path is made; undefined where there is none. */
function makerOf(frame: PageFrame, path: string, rooms: ApiRooms): (() => Promise<KeptFile>) | undefined {
	const { pages, pictures, examples } = frame.library;
	const text = (type: string, content: string) => () =>
		keepFile(content, { ...HEADERS, "Content-Type": `text/${type}; charset=utf-8` });
	if (path === STYLESHEET) return text("css", css);
	if (path === `${ROOT_PATH}/forward.js`) return text("javascript", FORWARD);
	if (path === `${ROOT_PATH}/copy.js`) return text("javascript", COPY);
	if (path === "/llms.txt" || path === `${ROOT_PATH}/llms.txt`)
		return text("plain", llmsText(frame, rooms.addresses.base));
	const page = pages.get(path);
	if (page) return text("html", pageHtml(frame, page));
	const source = pages.get(path.replace(/(\/README)?\.md$/, ""));
	if (source && path.endsWith(".md")) return text("markdown", source.markdown);
	const [, name = ""] = /^\/docs\/examples\/([\w-]+)\.zip$/.exec(path) ?? [];
	const example = examples.get(name);
	if (example) return async () => keepFile(await exampleArchive(example, rooms), archiveHeaders(name));
	const picture = pictures.get(path);
	return picture && (() => pictureFile(picture, path));
}

function archiveHeaders(name: string): Readonly<Record<string, string>> {
	const disposition = `attachment; filename="svc-example-${name}.zip"`;
	return { ...HEADERS, "Content-Type": "application/zip", "Content-Disposition": disposition };
}

async function pictureFile(file: URL, path: string): Promise<KeptFile> {
	const type = PICTURE_TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
	return keepFile(new Uint8Array(await readFile(file)), { ...HEADERS, "Content-Type": type });
}
