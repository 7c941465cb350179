import { describe, expect, test } from "bun:test";
import { documentOf } from "../../support/documents.ts";

describe.each(["current", "transition", "legacy"] as const)("examples in the document of %s", (variant) => {
	test("stand at every schema with a pattern, and fit it", async () => {
		const patterned = partsOf(await documentOf(variant)).filter(({ pattern }) => typeof pattern === "string");
		expect(patterned.length).toBeGreaterThan(10);
		for (const { pattern, examples } of patterned as { pattern: string; examples?: string[] }[]) {
			expect(examples?.length, pattern).toBeGreaterThan(0);
			for (const example of examples ?? []) expect(example).toMatch(new RegExp(pattern));
		}
	});

	test("are the same in every service, and their dates are never past", async () => {
		const examplesOf = (document: object) =>
			partsOf(document).flatMap(({ example, examples, value }) => [example, examples, value].filter(Boolean));
		const [first, again] = [await documentOf<object>(variant), await documentOf<object>(variant)];
		expect(examplesOf(first)).toEqual(examplesOf(again));
		const dates = JSON.stringify(examplesOf(first)).match(/\d{4}-\d\d(-\d\d)?(?=["T])/g) ?? [];
		expect(dates.length).toBeGreaterThan(100);
		expect(dates.filter((date) => date < "2090")).toEqual([]);
	});
});

/** All objects in a document. */
function partsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
	if (typeof value !== "object" || value === null) return [];
	const inside = Object.values(value).flatMap(partsOf);
	return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}
