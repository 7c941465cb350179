import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type Moderated, startModerated } from "./moderated.ts";
import { startProxy } from "./proxy.ts";

const open = { args: ["--screen", "events"] };

let world: Moderated;
let file: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
	world = await startModerated([]);
	file = new Uint8Array(await plain(8, 8));
});

afterAll(() => world[Symbol.asyncDispose]());

const upload = (name: string) => uploaded(world.service, file, name);

/** The rows of the list, from the first one on. */
function rowsOf(lines: readonly string[]): string[] {
	const list = lines.slice(3).map((line) => line.slice(1).split("│")[0] ?? "");
	return list.filter((row) => /^[▸ ] {2}[^\s│]/.test(row)).slice(1);
}

describe("the feed", () => {
	test("what happened is there, the newest first, and what happens comes by itself [tui.events.live]", async () => {
		await upload("first.png");
		await upload("second.png");
		await using program = world.start(open);
		const lines = await program.until(/second\.png[\s\S]*first\.png/);
		expect(lines[1]).toContain("[E Events]");
		await program.until(/live · \d/);
		const image = await upload("third.png");
		await program.until(/▸ {2}now +image\.created +third\.png[\s\S]*second\.png/);
		const client = createClient({ baseUrl: world.service.baseUrl, apiKey: world.service.apiKey });
		await client.images.update(image.id, { caption: "a caption" });
		await program.until(/image\.updated +third\.png[\s\S]*image\.created +third\.png/);
		await program.until(/What changed[\s\S]*caption +— → a caption[\s\S]*As it was then/);
	});

	test("nothing moves for whoever is further down: what is new is counted, and g shows it [tui.events.held]", async () => {
		await using program = world.start(open);
		await program.until(/live · \d/);
		program.type("j");
		const before = rowsOf(await program.until((lines) => rowsOf(lines)[1]?.startsWith("▸") === true));
		await upload("unseen.png");
		const held = await program.until("1 new: g");
		expect(rowsOf(held).map((row) => row.slice(11))).toEqual(before.map((row) => row.slice(11)));
		await upload("unseen-too.png");
		await program.until("2 new: g");
		program.type("g");
		const shown = await program.until(/▸ .*unseen-too\.png/);
		expect(shown.join("\n")).not.toContain("new: g");
	});

	test("once the service is back the feed goes on by itself, and nothing is missing [tui.events.recovers]", async () => {
		await using proxy = startProxy(world.service);
		const env = { SVC_API_KEY: world.service.token, SVC_BASE_URL: proxy.baseUrl };
		await using program = world.start({ ...open, env });
		await program.until(/live · \d/);
		proxy.down(true);
		// What waits already is answered by the service itself.
		await upload("while-it-waited.png");
		await program.until("while-it-waited.png");
		await program.until("✗ STALE");
		await upload("while-it-was-away.png");
		proxy.down(false);
		const back = await program.until("while-it-was-away.png");
		expect(back.join("\n")).not.toContain("STALE");
	});

	test("Enter opens the event, and Enter again what it was about [tui.events.jump]", async () => {
		const image = await upload("about.png");
		await using program = world.start({ ...open, columns: 80 });
		await program.until(/▸ .*about\.png/);
		program.type("\r");
		await program.until("As it was then");
		program.type("\r");
		await program.until(/Moderation · all[^╮]*1\/1 of/);
		program.type("y");
		await program.until(`Copied ${image.id}.`);
	});
});

test("of an App with more events than a page holds, the newest ones are there when the screen is opened [tui.events.latest]", async () => {
	for (let made = 0; made < 101; made++) await upload(`many-${made}.png`);
	await using program = world.start(open);
	const lines = await program.until("many-100.png");
	expect(rowsOf(lines)[0]).toContain("many-100.png");
	await program.until(/live · 1\/1\d\d/);
	await upload("from-now-on.png");
	await program.until("from-now-on.png");
});

test("one print needs no waiting [tui.events.print]", async () => {
	const before = Date.now();
	await using program = world.start({ args: ["--screen", "events", "--print"] });
	await program.until("[E Events]");
	expect(await program.exited).toBe(0);
	expect(Date.now() - before).toBeLessThan(15_000);
});

test("another App has other events [tui.events.app]", async () => {
	const management = createManagement({ baseUrl: world.service.baseUrl, apiKey: world.service.token });
	const other = await management.apps.create("Other App");
	await using program = world.start(open);
	await program.until(/live · \d/);
	program.type("2");
	await program.until("Other App");
	program.type("/Other\r\rE");
	await program.until("Nothing has happened since");
	await management.apps.of(other.id).keys.create({ name: "Of the other", reach: "app", permissions: ["read"] });
	await program.until(/key\.created +Of the other/);
	expect(program.lines().join("\n")).not.toContain("about.png");
});
