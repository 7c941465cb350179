import { expect, test } from "bun:test";
import { PASSING, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { openService } from "../support/service.ts";

/* A start while the libSQL server is away, or goes away in the middle of it. */

/** Nothing comes back for these requests, counted from the first: what the server was asked to do in the second half of them happens all the same. */
function away(from: number, count: number): Passage {
	let asked = 0;
	return async (_, forward) => {
		const place = asked++ - from;
		if (place < 0 || place >= count) return await forward();
		if (2 * place >= count) await forward();
		return undefined;
	};
}

test.skipIf(withoutLibsql).each([
	["from its first request on", 0],
	["among its migrations", 40],
	["after them", 85],
])(`a first start whose database goes away %s is tried again, and made whole${libsqlNote}`, async (_, from) => {
	await using server = await startLibsql();
	await using proxy = await startLibsqlProxy(server.url);
	proxy.passage = away(from, 12);
	const service = await openService({ SVC_DATABASE_URL: proxy.url });
	proxy.passage = PASSING;
	expect(service.log.lines.map(({ message }) => message)).toContain("the start waits for the database");
	expect(service.apiKey).not.toBe("");
	await uploaded(service, await plain(20, 20), "a.png");
	const { rows } = service.database;
	expect(await rows("SELECT count(*) FROM apps WHERE name = 'My first App'", [])).toEqual([[1]]);
	await service.close();
});
