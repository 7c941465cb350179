import type { Image } from "@svc/sdk/shapes";
import { form } from "../support/requests.ts";
import type { OpenService } from "../support/service.ts";

/* What is done to a service while its disk, or that of its database server, is recorded, and what must be there after a power failure. */

/** A service, and whoever records the disk. */
interface Lived {
	readonly baseUrl: string;
	/** Writes a text between the changes that happened before now and those after. */
	mark(text: string): Promise<void>;
}

interface Life {
	readonly apiKey: string;
	readonly picture: Buffer<ArrayBuffer>;
	readonly creates: number;
}

interface Looked extends Pick<Life, "apiKey" | "picture"> {
	readonly service: Pick<OpenService, "api" | "open">;
	/** What the repetition of a create is answered that had no answer. */
	readonly repeated: readonly number[];
}

/** Creates, changes and deletes, some of them side by side, each marked before it begins and after it was answered. */
export async function live(server: Lived, life: Life): Promise<void> {
	await Promise.all([liveOne(server, life, "a"), liveOne(server, life, "b")]);
}

async function liveOne(server: Lived, { apiKey, picture, creates }: Life, name: string): Promise<void> {
	const headers = { Authorization: `Bearer ${apiKey}` };
	for (let turn = 0; turn < creates / 2; turn++) {
		const key = `${name}-${turn}`;
		await server.mark(`begin create ${key}`);
		const made = await fetch(`${server.baseUrl}/v1/images`, {
			method: "POST",
			headers: { ...headers, "Idempotency-Key": key },
			body: form(picture, "a.jpg"),
		});
		const { id } = (await made.json()) as Image;
		await server.mark(`made ${key} ${id}`);
		const one = `${server.baseUrl}/v1/images/${id}`;
		if (turn % 2 === 1) {
			await server.mark(`begin caption ${key} ${id}`);
			const body = JSON.stringify({ caption: key });
			const changed = await fetch(one, {
				method: "PATCH",
				headers: { ...headers, "Content-Type": "application/json" },
				body,
			});
			if (changed.ok) await server.mark(`captioned ${key} ${id}`);
		}
		if (turn % 3 === 2) {
			await server.mark(`begin delete ${key} ${id}`);
			const gone = await fetch(one, { method: "DELETE", headers });
			if (gone.ok) await server.mark(`deleted ${key} ${id}`);
		}
	}
}

/** What had been said when the power failed, by key. */
export type Told = Map<string, { id: string | undefined; readonly marks: Set<string> }>;

export function toldBy(marks: readonly string[]): Told {
	const told: Told = new Map();
	for (const mark of marks) {
		const [, what = "", key = "", id] = /^(begin \w+|\w+) (\S+)(?: (\S+))?$/.exec(mark) ?? [];
		const one = told.get(key) ?? { id: undefined, marks: new Set<string>() };
		one.marks.add(what);
		if (what === "made") one.id = id;
		told.set(key, one);
	}
	return told;
}

/** What is not as it was told, of one picture. */
export async function faultsOf(
	{ service, apiKey, picture, repeated }: Looked,
	key: string,
	{ id, marks }: NonNullable<ReturnType<Told["get"]>>,
): Promise<readonly string[]> {
	const ask = (path: string, init: RequestInit = {}) =>
		service.api(path, { ...init, headers: { Authorization: `Bearer ${apiKey}`, ...init.headers } });
	const about = `${key} (${[...marks].join(", ")})`;
	if (id === undefined) {
		const same = { method: "POST", body: form(picture, "a.jpg"), headers: { "Idempotency-Key": key } };
		const { status } = await ask("/v1/images", same);
		return repeated.includes(status) ? [] : [`${about}: its repetition is answered ${status}`];
	}
	const answer = await ask(`/v1/images/${id}`);
	if (marks.has("deleted")) return answer.status === 404 ? [] : [`${about}: it is answered ${answer.status}`];
	if (answer.status === 404 && marks.has("begin delete")) return [];
	if (answer.status !== 200) return [`${about}: it is answered ${answer.status}`];
	const image = (await answer.json()) as Image;
	if (marks.has("captioned") && image.caption !== key) return [`${about}: its caption was lost`];
	const { status } = await service.open(image.url);
	return status === 200 ? [] : [`${about}: its original is answered ${status}`];
}
