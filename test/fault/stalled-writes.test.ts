import { expect, test } from "bun:test";
import { PASSING, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { errorOf, upload } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* A libSQL server that has stopped writing and goes on reading, as one was seen to do: changes are taken, and get no answer. */

const probe = ({ handle }: OpenService, path: string) =>
	handle(new Request(`http://localhost${path}`), () => "127.0.0.1");

test.skipIf(withoutLibsql)(
	`while the database server writes nothing, changes are refused at once, reads go on, and everybody is told${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		await using proxy = await startLibsqlProxy(server.url);
		const service = await openService({ SVC_DATABASE_URL: proxy.url });
		const picture = await plain(20, 20);
		const released = Promise.withResolvers<void>();
		let taken = 0;
		proxy.passage = async (isChange, forward) => {
			if (isChange) {
				taken++;
				await released.promise;
			}
			return await forward();
		};

		// Those that come first wait for the answer, as they do for a slow one.
		const first = await Promise.all([1, 2, 3].map(() => upload(service, picture, "a.png")));
		while (service.database.stalledMs() === 0) await Bun.sleep(50);
		const later = await Promise.all(Array.from({ length: 20 }, () => upload(service, picture, "a.png")));
		for (const answer of [...first, ...later]) {
			const [status, code] = [answer.status, (await errorOf(answer)).code];
			// By the specification what could not be stored is a 500.
			expect([`${status} ${code}`, Number(answer.headers.get("retry-after")) > 0]).toEqual([
				code === "upload_failed" ? "500 upload_failed" : `503 ${code}`,
				true,
			]);
		}
		// Two that are left alone, and two that ask what became of them: nobody else joins the line.
		expect(taken).toBeLessThanOrEqual(4);
		expect((await service.api("/v1/images")).status).toBe(200);

		service.clock.advance(5_000);
		const ready = await probe(service, "/readyz");
		expect([ready.status, (await ready.json()) as unknown]).toMatchObject([503, { checks: { database: "failed" } }]);
		const metrics = await (await probe(service, "/metrics")).text();
		expect(Number(/^svc_database_writes_stalled_seconds (\S+)/m.exec(metrics)?.[1])).toBeGreaterThan(5);
		expect(service.log.lines.map(({ facts }) => JSON.stringify(facts) ?? "")).toContainEqual(
			expect.stringContaining("The libSQL server has stopped writing."),
		);

		released.resolve();
		proxy.passage = PASSING;
		while ((await upload(service, picture, "a.png")).status !== 201) await Bun.sleep(50);
		service.clock.advance(5_000);
		expect((await probe(service, "/readyz")).status).toBe(200);
		await service.close();
	},
);
