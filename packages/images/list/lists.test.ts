import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { filterParams, parseListRequest } from "./lists.ts";

function parse(query: string) {
	return parseListRequest(new URLSearchParams(query));
}

function faults(query: string): string[] {
	try {
		parse(query);
		return [];
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		return Object.keys(cause.details ?? {});
	}
}

describe("parseListRequest", () => {
	test("nothing sent: everything, 50 to a page", () => {
		expect(parse("")).toEqual({ ids: undefined, labels: [], limit: 50, cursor: undefined });
	});

	test("equality, IN and absence", () => {
		expect(parse("label[a]=1&label[b]=x,y,x&label[!c]=&label[!d]").labels).toEqual([
			{ key: "a", values: ["1"] },
			{ key: "b", values: ["x", "y"] },
			{ key: "c", absent: true },
			{ key: "d", absent: true },
		]);
	});

	test.each([
		["limit=0", "limit"],
		["limit=101", "limit"],
		["limit=-1", "limit"],
		["limit=abc", "limit"],
		["limit=", "limit"],
		["limit=1&limit=2", "limit"],
		["label[]=x", "label[]"],
		["label[BAD KEY]=x", "label[BAD KEY]"],
		["label[k", "label[k"],
		["label=x", "label"],
		["label[k]=", "label[k]"],
		["label[k]=a,,b", "label[k]"],
		["label[!k]=v", "label[!k]"],
		["label[k]=a&label[k]=b", "label[k]"],
		["ids=a&label[k]=v", "ids"],
		["ids=", "ids"],
		["ids=a,,b", "ids"],
		[`ids=${Array.from({ length: 101 }, (_, i) => i)}`, "ids"],
	])("%s is refused under %s", (query, field) => {
		expect(faults(query)).toContain(field);
	});

	test("50 values over 2 keys and 20 keys are the most", () => {
		const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join(",");
		expect(faults(`label[a]=${values(25)}&label[b]=${values(25)}`)).toEqual([]);
		expect(faults(`label[a]=${values(25)}&label[b]=${values(26)}`)).toEqual(["label"]);
		const keys = (count: number) => Array.from({ length: count }, (_, i) => `label[k${i}]=v`).join("&");
		expect(faults(`${keys(19)}&label[!z]`)).toEqual([]);
		expect(faults(`${keys(20)}&label[!z]`)).toEqual(["label"]);
	});

	test("what a filter is spelt like again reads the same", () => {
		const request = parse("label[b]=x,y&label[a]=ü%26%20z&label[!c]");
		const again = parse(filterParams(request).toString());
		expect(filterParams(again).toString()).toBe(filterParams(request).toString());
		expect(again.labels).toHaveLength(3);
	});
});
