import { expect, test } from "bun:test";
import { addApp } from "../support/apps.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* Three services write one feed at a libSQL server at once, while a reader of each goes on from the last event that it saw. */

const EACH = 25;
const SERVICES = 3;

interface Page {
	readonly data: readonly { readonly id: string; readonly data: { readonly object: { readonly id: string } } }[];
}

test.skipIf(withoutLibsql)(
	`readers of three services see each event once, in one order, while all three write${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		const services: OpenService[] = [];
		for (let made = 0; made < SERVICES; made++) services.push(await openService({ SVC_DATABASE_URL: server.url }));
		try {
			const [first] = services;
			if (first === undefined) throw new Error("there is no service");
			const app = await addApp(first.database);
			const file = await plain(8, 8);
			const read = readers(services, app.key, EACH * SERVICES);
			const made = await Promise.all(
				services.map(async (service) => {
					const ids: string[] = [];
					for (let count = 0; count < EACH; count++)
						ids.push((await uploaded(service, file, "a.png", {}, { key: app.key })).id);
					return ids;
				}),
			);
			const [one = [], ...others] = await read;
			for (const other of others) expect(other).toEqual(one);
			expect([...one].sort()).toEqual(made.flat().sort());
			// Of one service's images the order is that in which they were answered.
			for (const ids of made) expect(one.filter((id) => ids.includes(id))).toEqual(ids);
		} finally {
			for (const service of services) await service.close();
		}
	},
	limitMs(EACH * SERVICES, 1_000),
);

/** What a reader at each service sees, one after the other. */
function readers(
	services: readonly OpenService[],
	key: string,
	count: number,
): Promise<readonly (readonly string[])[]> {
	return Promise.all(
		services.map(async (service) => {
			const seen: string[] = [];
			let after: string | undefined;
			while (seen.length < count) {
				const query = `?wait=5&types=image.created&limit=7${after === undefined ? "" : `&after=${after}`}`;
				const answer = await send(service, "GET", `/v1/events${query}`, undefined, { key });
				const { data } = (await answer.json()) as Page;
				seen.push(...data.map((event) => event.data.object.id));
				after = data.at(-1)?.id ?? after;
			}
			return seen;
		}),
	);
}
