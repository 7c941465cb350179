import type { Elysia } from "elysia";
import type { ReadDocument } from "../kit/document/document.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { ROOT_PATH } from "./paths.ts";
import type { ListedOperation } from "./search/search-index.ts";
import type { Shelf } from "./shelf.ts";

/** The pages, rendered and kept. What renders them is loaded when the first one is asked for. */
export function shelfOf(rooms: ApiRooms, readDocument: ReadDocument): () => Promise<Shelf> {
	let shelf: Promise<Shelf> | undefined;
	const load = async () => new (await import("./shelf.ts")).Shelf(rooms, () => operationsOf(readDocument));
	return () => {
		shelf ??= load();
		return shelf;
	};
}

/** The documentation, as pages. */
export function documentation(app: Elysia, open: () => Promise<Shelf>): void {
	const hidden = { detail: { hide: true } };
	app.get(ROOT_PATH, async ({ request }) => (await open()).front(request), hidden);
	app.get(`${ROOT_PATH}/`, () => new Response(null, { status: 308, headers: { Location: ROOT_PATH } }), hidden);
	app.get(`${ROOT_PATH}/*`, async ({ request }) => (await open()).answer(request), hidden);
	app.get("/llms.txt", async ({ request }) => (await open()).answer(request), hidden);
}

/** What the API document says that there is. */
async function operationsOf(readDocument: ReadDocument): Promise<readonly ListedOperation[]> {
	const { paths } = await readDocument();
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
	);
}
