import { expect, test } from "bun:test";
import type { App } from "@svc/sdk/shapes";
import { openDns } from "../support/dns.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { ask, makeKey, makeTeam } from "../support/teams.ts";

/* Image hosts where several processes serve one database of a real libSQL server: each has them in memory. */

test.skipIf(withoutLibsql)(
	`what one process verifies, or gives up, the other serves, or does not, from its next beat on${libsqlNote}`,
	async () => {
		await using database = await startLibsql();
		const dns = await openDns();
		const env = { SVC_VARIANT: "current", SVC_DATABASE_URL: database.url, SVC_DNS_SERVER: dns.address };
		const one = await openService(env);
		const two = await openService({ ...env, SVC_DATA_DIR: one.dataDir });
		try {
			const team = await makeTeam(one);
			const { secret: key } = await makeKey(one, team.owner, team.path);
			const image = await uploaded(one, await plain(6, 6), "a.png", {}, { key });
			const want = async (host: string | null) =>
				(await ask(one, team.owner, "PATCH", team.path, { image_host: host })).body;
			const { record } = (await want("img.example.com")).image_host as NonNullable<App["image_host"]>;
			dns.set(record.name, record.value);
			// Another process than the one in which it was set.
			const { body } = await ask(two, team.admin, "POST", `${team.path}/image_host/verify`);
			expect(body.image_host).toMatchObject({ state: "verified" });
			const address = image.url.replace("localhost:3001", "img.example.com:3001");
			const urlBy = async (service: typeof one) =>
				((await (await send(service, "GET", `/v1/images/${image.id}`, undefined, { key })).json()) as { url: string })
					.url;
			expect(await urlBy(two)).toBe(address);
			expect((await one.open(address)).status).toBe(421);
			await one.beat();
			expect(await urlBy(one)).toBe(address);
			expect((await one.open(address)).status).toBe(200);
			await want(null);
			expect((await one.open(address)).status).toBe(421);
			await two.beat();
			expect((await two.open(address)).status).toBe(421);
			expect((await two.open(image.url)).status).toBe(200);
		} finally {
			await two.close();
			await one.close();
			dns.close();
		}
	},
	120_000,
);
