import type { Elysia } from "elysia";
import type { ApiRooms } from "../../kit/rooms.ts";
import { REFERENCE_CSS, REFERENCE_JS, REFERENCE_PATH } from "../paths.ts";
import type { ReferenceDesk, ReferenceSources } from "./reference-desk.ts";

/** The API document as a page, with a form for each call. What renders it is loaded when it is first asked for. */
export function reference(app: Elysia, rooms: ApiRooms, sources: ReferenceSources): void {
	let desk: Promise<ReferenceDesk> | undefined;
	const load = async () => new (await import("./reference-desk.ts")).ReferenceDesk(rooms, sources);
	const open = () => {
		desk ??= load();
		return desk;
	};
	const hidden = { parse: "none", detail: { hide: true } } as const;
	app.get(REFERENCE_PATH, async ({ request }) => (await open()).page(request), hidden);
	for (const path of [REFERENCE_CSS, REFERENCE_JS]) {
		app.get(path, async ({ request }) => (await open()).file(request, path), hidden);
	}
	app.get(`${REFERENCE_PATH}/:operation`, async ({ params }) => (await open()).way(params.operation), hidden);
	app.post(
		`${REFERENCE_PATH}/:operation`,
		async ({ request, params }) => (await open()).answer(request, params.operation),
		hidden,
	);
}
