import type { Elysia } from "elysia";
import type { ApiRooms } from "../kit/rooms.ts";
import { ROOT_PATH } from "./paths.ts";
import type { Operation } from "./search-index.ts";
import type { Shelf } from "./shelf.ts";

/** The documentation, as pages. What renders them is loaded when the first one is asked for. */
export function documentation(app: Elysia, rooms: ApiRooms): void {
	let shelf: Promise<Shelf> | undefined;
	const load = async () => new (await import("./shelf.ts")).Shelf(rooms, () => operationsOf(app, rooms));
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

interface ApiPaths {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
}

/** What the API document says that there is. */
async function operationsOf(app: Elysia, rooms: ApiRooms): Promise<readonly Operation[]> {
	const answer = await app.handle(new Request(new URL("/openapi.json", rooms.addresses.base)));
	const { paths } = (await answer.json()) as ApiPaths;
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods)
			.filter(([, { operationId }]) => operationId !== undefined)
			.map(([method, operation]) => ({ ...operation, method, path })),
	);
}
