import { describe, expect, test } from "bun:test";
import type { AnalysisKind } from "@svc/base/enumerations";
import { analysisNeeded, followsSubject, isSuperfluous } from "./analysis-needs.ts";
import { parseTransform } from "./transform.ts";

describe("a rendition needs", () => {
	const needs = (query: string) =>
		analysisNeeded(parseTransform(new URLSearchParams(query)), { width: 400, height: 200 });

	test.each<[string, readonly AnalysisKind[]]>([
		["", []],
		["w=100", []],
		["w=100&h=100&fit=contain", []],
		["trim=border", ["content"]],
		["segment=foreground", ["subject"]],
		["fx=color-pop", ["subject"]],
		["w=100&h=100&fit=cover", ["faces", "subject", "focus"]],
		["w=100&h=100&fit=crop", ["faces", "subject", "focus"]],
		["size=social", ["faces", "subject", "focus"]],
		["w=100&h=100&fit=cover&gravity=face", ["faces", "subject", "focus"]],
		["w=100&h=100&fit=cover&gravity=left", []],
	])("for ?%s %p", (query, expected) => {
		expect(needs(query)).toEqual(expected);
	});

	test("no faces where nothing is cut, unless it is cut closer to them, or nobody knows yet what is left without its border", () => {
		expect(needs("w=100&h=50&fit=cover")).toEqual([]);
		expect(needs("w=800&h=800&fit=crop")).toEqual([]);
		expect(needs("w=50&h=100&fit=cover&rotate=90")).toEqual([]);
		expect(needs("w=100&h=50&fit=cover&rotate=90")).toEqual(["faces", "subject", "focus"]);
		expect(needs("w=100&h=50&fit=cover&gravity=face&zoom=0.5")).toEqual(["faces", "subject", "focus"]);
		expect(needs("w=100&h=50&fit=cover&trim=border")).toEqual(["content", "faces", "subject", "focus"]);
	});
});

test("a face spares the search for a subject that is not shown, and either of them that for what the eye goes to", () => {
	const form = parseTransform(new URLSearchParams("size=social"));
	const shown = parseTransform(new URLSearchParams("size=social&segment=foreground"));
	const faces = [{ left: 0, top: 0, width: 0.1, height: 0.1 }];
	const subject = { width: 1, height: 1, alpha: Uint8Array.of(255) };
	const spared = (found: Parameters<typeof isSuperfluous>[1], of = form) =>
		(["faces", "subject", "focus"] as const).filter((kind) => isSuperfluous(kind, found, of));
	expect(spared({})).toEqual([]);
	expect(spared({ faces: [] })).toEqual([]);
	expect(spared({ faces })).toEqual(["subject", "focus"]);
	expect(spared({ faces }, shown)).toEqual(["focus"]);
	expect(spared({ faces: [], subject })).toEqual(["focus"]);
	expect(spared({ faces: [], subject: null })).toEqual([]);
});

test("what is in a picture decides over cuts that name no side and no point", () => {
	const follows = (query: string) => followsSubject(parseTransform(new URLSearchParams(query)));
	for (const query of ["size=social", "w=9&h=9&fit=cover", "w=9&h=9&fit=crop&gravity=face"])
		expect([query, follows(query)]).toEqual([query, true]);
	for (const query of ["", "size=m", "w=9&fit=cover", "w=9&h=9", "size=social&gravity=top", "size=social&focus=0,0"])
		expect([query, follows(query)]).toEqual([query, false]);
});
