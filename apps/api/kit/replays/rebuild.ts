import type { KeptPost } from "@svc/keys/replay";
import { actFor, visitorOf } from "@svc/people/visitors";
import * as v from "valibot";
import type { Call, PostedRoute } from "../call-types.ts";
import type { ApiRooms } from "../rooms.ts";

/* The answer of a POST whose change is kept and whose own answer got lost with its process: what it made, as a GET shows it now. */

interface Rebuilt {
	readonly status: number;
	readonly body: unknown;
}

/**
 * Looks for what the request changed, by the audit, where the caller may read it; undefined where nothing of the answer's shape is found.
 * @param empty what is shown once, as null
 */
export async function rebuild(
	rooms: ApiRooms,
	call: Call,
	posted: PostedRoute,
	kept: KeptPost,
	empty: Readonly<Record<string, null>>,
): Promise<Rebuilt | undefined> {
	const targets = await rooms.keys.replays.targets(kept);
	const [status, schema] = Object.entries(posted.answers)[0] ?? [];
	if (schema === undefined) return undefined;
	for (const [path, id] of targets.flatMap((id) => placesOf(call.url.pathname, id))) {
		const found = await read(call, posted, path);
		for (const one of [found, ...itemsOf(found)]) {
			const body = { ...one, ...empty };
			if (one?.id === id && v.safeParse(schema, body).success) return { status: Number(status), body };
		}
	}
	return undefined;
}

/** The addresses and lists at which a thing may stand that a POST to this path made or changed. */
function placesOf(path: string, id: string): readonly (readonly [path: string, id: string])[] {
	const up = (from: string) => from.slice(0, from.lastIndexOf("/"));
	const lists = [path, up(up(path))];
	return [...lists.map((list) => `${list}/${id}`), `/v1/jobs/${id}`, ...lists].map((place) => [place, id]);
}

type Shown = Readonly<Record<string, unknown>>;

async function read({ request, url }: Call, { handle }: PostedRoute, path: string): Promise<Shown | undefined> {
	const headers = new Headers();
	for (const name of ["authorization", "x-svc-app", "x-svc-user", "host"]) {
		const sent = request.headers.get(name);
		if (sent !== null) headers.set(name, sent);
	}
	const asked = new Request(new URL(path, url), { headers });
	actFor(asked, visitorOf(request));
	const answer = await handle(asked);
	return answer.status === 200 ? ((await answer.json()) as Shown) : undefined;
}

function itemsOf(shown: Shown | undefined): readonly Shown[] {
	return Array.isArray(shown?.data) ? (shown.data as Shown[]) : [];
}
