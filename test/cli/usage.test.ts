import { afterAll, beforeAll, expect, test } from "bun:test";
import { countText } from "@svc/cli/commands/apps/usage";
import type { LabelCount, MonthUsage, Usage, UserUsage } from "@svc/sdk/shapes";
import { connectUser, firstApp } from "../support/apps.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;
let userId = "";

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
	const file = await plain(8, 6);
	userId = (await connectUser(service.database, await firstApp(service.database))).id;
	for (const labels of ['{"album":"pets"}', '{"album":"pets","alt":"x"}', '{"zoo":"y"}']) {
		await uploaded(service, file, "a.png", { labels });
	}
	await uploaded(service, file, "b.png", {}, { headers: { "X-Svc-User": userId } });
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

test("of the key's storage, or of a user's [cli.usage]", async () => {
	expect(await program.json<Usage>("usage", "show")).toMatchObject({ object: "usage", totals: { images_stored: 3 } });
	const ofUser = await program.json<Usage>("usage", "show", "--user", userId);
	expect(ofUser.totals.images_stored).toBe(1);
	const line = (await program.svc("usage", "show")).out.split("\t");
	expect(line[1]).toBe("3");
});

test("of the whole App by user and by month, page by page [cli.usage.by]", async () => {
	const byUser = await program.json<UserUsage[]>("usage", "show", "--by", "user");
	const counts = byUser.map(({ user_id, images }) => [user_id, images]);
	expect(counts).toContainEqual([null, 3]);
	expect(counts).toContainEqual([userId, 1]);
	const one = await program.svc("usage", "show", "--by", "user", "--limit", "1");
	expect([one.out.trimEnd().split("\n").length, one.err]).toEqual([1, expect.stringContaining("--cursor")]);
	const [month] = await program.json<MonthUsage[]>("usage", "show", "--by", "month");
	expect(month).toEqual({ object: "month_usage", month: new Date().toISOString().slice(0, 7), uploads: 4 });
	expect((await program.svc("usage", "show", "--by", "day")).exit).toBe(2);
	expect((await program.svc("usage", "show", "--limit", "1")).exit).toBe(2);
	expect((await program.svc("usage", "show", "--by", "user", "--app", "app_none")).exit).toBe(5);
});

test("the labels of the App's own images, with how many have them [cli.labels]", async () => {
	const labels = await program.json<LabelCount[]>("labels");
	expect(labels).toContainEqual({ key: "album", value: "pets", count: 2 });
	expect(labels).toHaveLength(3);
	expect((await program.svc("labels", "--prefix", "al")).out).toBe("album\tpets\t2\nalt\tx\t1\n");
});

test("a label of more images than are counted shows that there are more", () => {
	expect(countText({ key: "a", value: "b", count: 1_000, more: true })).toBe("1,000+");
	expect(countText({ key: "a", value: "b", count: 1_000 })).toBe("1000");
});
