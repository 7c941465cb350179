import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { SCREENS } from "@svc/pages/console/screens";
import { consoleScripts, consoleSheet } from "@svc/pages/kit/assets";
import { sql } from "drizzle-orm";
import { fill } from "../../bench/full-storage.ts";
import { connectUser } from "../../support/apps.ts";
import { signedIn } from "../../support/console.ts";
import { OF_NO_APP, placesOf } from "../../support/console-places.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { forgetKept, hearStatements, statementsOf } from "../../support/statement-count.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";

/* What a screen of the console may cost. */

/** Older interfaces lack screens. */
const isOlder = (process.env.SVC_TEST_VARIANT ?? "current") !== "current";

hearStatements();
const service = serviceFor();

/** An App with something on each screen. */
const scene = madeBefore(async () => {
	const team = await makeTeam(service, "Moth Garden");
	await ask(service, team.owner, "PATCH", team.path, { sign_in_enabled: true });
	const editor = as(team.editor, team.appId);
	const user = await connectUser(service.database, { id: team.appId });
	const picture = await plain(40, 30);
	const ids: string[] = [];
	for (const [name, labels] of [
		["moth one.png", { album: "summer", season: "warm" }],
		["moth two.png", { album: "winter" }],
		["fern.png", { album: "summer" }],
	] as const) {
		const { id } = await uploaded(service, picture, name, { labels: JSON.stringify(labels) }, editor);
		ids.push(id);
	}
	await makeKey(service, team.admin, team.path, { name: "Web server" });
	const [storage = []] = await service.database.rows(
		"SELECT pk, app_pk FROM storages WHERE pk IN (SELECT storage_pk FROM images)",
		[],
	);
	const [storagePk = 0, appPk = 0] = storage.map(Number);
	await fill(service, 200, { appPk, storagePk });
	await service.database.write([{ run: sql`UPDATE images SET words = '[1,"picture","moth"]' WHERE words IS NULL` }]);
	const all = isOlder ? [] : await placesOf(service, team);
	const places = new Map(all.map(({ path, at }) => [path, at.replace("/console", "")]));
	return { team, user, image: ids[0] ?? "", places };
});

/** Named by hand, or no page. */
const OWN = ["/:app", "/:app/images", "/:app/images/chosen", "/:app/images/:image", "/:app/images.zip", "/:app/live"];

/** Every screen with the parts of a list that ask for something besides. */
const PAGES: readonly (readonly [name: string, at: () => string])[] = [
	["Apps", () => ""],
	["overview", () => `/${scene.team.appId}`],
	...["", "?view=table", "?labels=colour%3Dred", "?labels=colour%3Dred%2Cshape%3Dround", "?q=moth", "?q=nothing"].map(
		(query) => [`images${query}`, () => `/${scene.team.appId}/images${query}`] as const,
	),
	...[
		"?format=jpg&q=moth",
		"?labels=colour%3Dred&q=moth",
		"?q=fern",
		"?state=deleted",
		"?state=blocked",
		"?order=asc",
		"?created_from=2020-01-01",
	].map((query) => [`images${query}`, () => `/${scene.team.appId}/images${query}`] as const),
	["images of a user", () => `/${scene.team.appId}/images?storage=${scene.user.id}`],
	["all that match", () => `/${scene.team.appId}/images/chosen?all=1`],
	["chosen", () => `/${scene.team.appId}/images/chosen?ids=${scene.image}`],
	["picture", () => `/${scene.team.appId}/images/${scene.image}`],
	["picture of a filter", () => `/${scene.team.appId}/images/${scene.image}?labels=album%3Dsummer&list_q=moth`],
	// Every other one, as it is with one of each thing; what streams or answers a script is no page.
	...SCREENS.filter(({ path, stream }) => !stream && !OF_NO_APP.has(path) && !OWN.includes(path)).map(
		({ path }) => [`${path} [C]`, () => scene.places.get(path) ?? "none"] as const,
	),
];

const requests = () => service.log.lines.filter(({ message }) => message === "request").length;

test.each(PAGES)("%s: at most 3 calls of the API, and 9 statements with nothing kept", async (_, at) => {
	const browser = await signedIn(service, scene.team.owner);
	const path = `/console${at()}`;
	// What a statement reads is asked of the database once, for each text.
	expect((await browser.open(path)).status).toBe(200);
	await forgetKept(service.database);
	const before = requests();
	const sent = await statementsOf(() => browser.open(path));
	expect(requests() - before).toBeWithin(1, 4);
	expect(sent.length, sent.join("\n")).toBeWithin(2, 10);
});

test("sixty pictures are 15 kB of HTML, all scripts 20 kB, those of one screen 12 kB in at most four files, the sheet 8 kB", async () => {
	const size = (text: string) => gzipSync(text).length;
	const sizes = new Map(Object.values(consoleScripts).map(({ path, text }) => [path, size(text)]));
	const all = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
	expect(all(sizes.keys())).toBeLessThanOrEqual(20_000);
	expect(size(consoleSheet.text)).toBeLessThanOrEqual(8_000);
	const browser = await signedIn(service, scene.team.owner);
	for (const [name, at] of PAGES.filter(([title]) => !isOlder || !title.endsWith("[C]"))) {
		const { html, url } = await browser.open(`/console${at()}`);
		const scripts = [...html.matchAll(/<script [^>]*src="([^"]*)"/g)].map(
			([, address = ""]) => new URL(address, url).pathname,
		);
		expect([name, scripts.filter((path) => !sizes.has(path))]).toEqual([name, []]);
		expect([name, scripts.length <= 4, all(scripts) <= 12_000]).toEqual([name, true, true]);
		expect(size(html)).toBeLessThanOrEqual(15_000);
	}
});

test("a script is served without its comments, and is the same program", () => {
	for (const { path, text } of Object.values(consoleScripts)) {
		const comments = text
			.split("\n")
			.filter((line) => /^\s*(\/\/.*|\/\*.*\*\/|\/?\*.*)$/.test(line) && !/\*\/ \S/.test(line));
		expect([path, comments]).toEqual([path, []]);
		expect(() => new Bun.Transpiler({ loader: "js" }).scan(text)).not.toThrow();
		// A text over several lines would have lost what its lines begin with.
		for (const line of text.split("\n")) expect((line.match(/`/g)?.length ?? 0) % 2).toBe(0);
	}
});

test("a page whose answers are kept asks for what it lists alone", async () => {
	const browser = await signedIn(service, scene.team.owner);
	const path = `/console/${scene.team.appId}/images`;
	await browser.open(path);
	const sent = await statementsOf(() => browser.open(path));
	expect(sent.filter((text) => /"(sessions|members)"/.test(text))).toEqual([]);
});
