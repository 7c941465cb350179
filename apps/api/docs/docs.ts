import type { Elysia } from "elysia";
import type { ApiRooms } from "../kit/rooms.ts";
import { ROOT_PATH } from "./paths.ts";
import type { Shelf } from "./shelf.ts";

/** The documentation, as pages. What renders them is loaded when the first one is asked for. */
export function documentation(app: Elysia, rooms: ApiRooms): void {
	let shelf: Promise<Shelf> | undefined;
	const load = async () => new (await import("./shelf.ts")).Shelf(rooms);
	const open = () => {
		shelf ??= load();
		return shelf;
	};
	const hidden = { detail: { hide: true } };
	app.get(ROOT_PATH, async ({ request }) => (await open()).front(request), hidden);
	app.get(`${ROOT_PATH}/`, () => new Response(null, { status: 308, headers: { Location: ROOT_PATH } }), hidden);
	app.get(`${ROOT_PATH}/*`, async ({ request }) => (await open()).answer(request), hidden);
	app.get("/llms.txt", async ({ request }) => (await open()).answer(request), hidden);
}
