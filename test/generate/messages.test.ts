import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { LOCALES } from "@svc/base/enumerations";
import { catalogueFolders, faultsOf, messageFiles, unusedIn } from "./messages.ts";
import { urlOf } from "./transform.ts";

const folders = await catalogueFolders();

test("every language has the same messages with the same placeholders", () => {
	expect(folders.flatMap(faultsOf)).toEqual([]);
});

test.each(messageFiles(folders))("$path has the types of its catalogues: else `npm run generate`", async (file) => {
	expect(await readFile(urlOf(file.path), "utf8")).toBe(file.text);
});

test("every message is shown somewhere", async () => {
	expect(await unusedIn(folders)).toEqual([]);
});

test("a message that nobody shows any more is found, and one that is chosen by a variable part is not", async () => {
	const texts = Object.fromEntries(LOCALES.map((locale) => [locale, { "done.switched": "x", "nobody.shows_it": "x" }]));
	const planted = { path: "apps/pages/billing", texts: texts as unknown as (typeof folders)[number]["texts"] };
	expect(await unusedIn([planted])).toEqual(["apps/pages/billing: nobody.shows_it"]);
});

describe("a catalogue is refused", () => {
	const texts = Object.fromEntries(LOCALES.map((locale) => [locale, { hello: "{n, plural, other {#}} {name}" }]));
	const faults = (german: Record<string, string>) =>
		faultsOf({ path: "x", texts: { ...texts, de: german } as Parameters<typeof faultsOf>[0]["texts"] });

	test.each([
		["that lacks a message", {}, "hello is missing"],
		[
			"with a message of its own",
			{ hello: "{n, plural, other {#}} {name}", more: "x" },
			"more is not there in English",
		],
		["with another placeholder", { hello: "{n, plural, other {#}} {nom}" }, "hello has the placeholders"],
		["with a placeholder of another kind", { hello: "{n} {name}" }, "hello has the placeholders"],
		[
			"with an apostrophe that would hide a placeholder",
			{ hello: "l'{name} {n, plural, other {#}}" },
			"straight apostrophe",
		],
	])("%s", (_, german, fault) => {
		expect(faults(german).join("\n")).toContain(fault);
	});

	test("unless it agrees", () => {
		expect(faults({ hello: "{name}: {n, plural, one {eins} other {#}}" })).toEqual([]);
	});
});
