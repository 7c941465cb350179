import { describe, expect, test } from "bun:test";
import { type FactKind, type FactSource, type Facts, factsNeeded, findPlaceholder } from "./facts.ts";
import type { ImageFacts } from "./images.ts";
import { parseTransform } from "./transform.ts";

describe("a rendition needs", () => {
	const needs = (query: string) => factsNeeded(parseTransform(new URLSearchParams(query)), { width: 400, height: 200 });

	test.each<[string, readonly FactKind[]]>([
		["", []],
		["w=100", []],
		["w=100&h=100&fit=contain", []],
		["trim=border", ["content"]],
		["segment=foreground", ["subject"]],
		["fx=color-pop", ["subject"]],
		["w=100&h=100&fit=cover", ["faces", "focus"]],
		["w=100&h=100&fit=crop", ["faces", "focus"]],
		["size=social", ["faces", "focus"]],
		["w=100&h=100&fit=cover&gravity=face", ["faces", "focus"]],
		["w=100&h=100&fit=cover&gravity=left", []],
	])("for ?%s %p", (query, expected) => {
		expect(needs(query)).toEqual(expected);
	});

	test("no faces where nothing is cut, unless it is cut closer to them, or nobody knows yet what is left without its border", () => {
		expect(needs("w=100&h=50&fit=cover")).toEqual([]);
		expect(needs("w=800&h=800&fit=crop")).toEqual([]);
		expect(needs("w=50&h=100&fit=cover&rotate=90")).toEqual([]);
		expect(needs("w=100&h=50&fit=cover&rotate=90")).toEqual(["faces", "focus"]);
		expect(needs("w=100&h=50&fit=cover&gravity=face&zoom=0.5")).toEqual(["faces", "focus"]);
		expect(needs("w=100&h=50&fit=cover&trim=border")).toEqual(["content", "faces", "focus"]);
	});
});

describe("a placeholder", () => {
	const image = { id: "img_1" } as ImageFacts;
	/** Knows these, and remembers what it was asked. */
	function source(known: Partial<Facts>): FactSource & { readonly asked: string[] } {
		const asked: string[] = [];
		return {
			asked,
			find: async (of, kind) => {
				asked.push(`${kind} of ${of.id}`);
				return known[kind];
			},
		};
	}

	test("is a hash and a colour", async () => {
		const facts = source({ thumbhash: "3OcRJYB4", colour: "#336699" });
		expect(await findPlaceholder({ facts }, image)).toEqual({ thumbhash: "3OcRJYB4", colour: "#336699" });
		expect(facts.asked).toEqual(["thumbhash of img_1", "colour of img_1"]);
	});

	test("is none where one of them is missing, and then the other is not looked for", async () => {
		const facts = source({ colour: "#336699" });
		expect(await findPlaceholder({ facts }, image)).toBeUndefined();
		expect(facts.asked).toEqual(["thumbhash of img_1"]);
		expect(await findPlaceholder({ facts: source({ thumbhash: "3OcRJYB4" }) }, image)).toBeUndefined();
	});
});
