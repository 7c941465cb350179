import { describe, expect, test } from "bun:test";
import type { AnalysisKind } from "@svc/base/enumerations";
import { analysisNeeded } from "./analysis.ts";
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
