import { expect, test } from "bun:test";
import { Failure } from "../failure.ts";
import { errorBody } from "./envelope.ts";
import { Faults } from "./faults.ts";

test("an error has less than 64 KB, whatever was sent: names and sentences are cut, and 20 faults are named", () => {
	for (const letter of ["a", "\u0000", "\ud800", "語", '"']) {
		const long = letter.repeat(100_000);
		const details = Object.fromEntries(Array.from({ length: 1_000 }, (_, place) => [`${place}${long}`, [long, long]]));
		const body = errorBody(new Failure("validation_error", details, { message: long }));
		expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(64 * 1_024);
		expect(Object.values(body.error.details ?? {}).flat()).toHaveLength(21);
		expect(body.error.details?.body).toEqual(["and 1,980 more"]);
	}
});

test("20 faults are all named, and nothing is said of others; one more is counted", () => {
	const named = (count: number) => errorBody(new Failure("validation_error", { ids: Array(count).fill("is none") }));
	expect(named(20).error.details).toEqual({ ids: Array(20).fill("is none") });
	expect(named(21).error.details).toEqual({ ids: Array(20).fill("is none"), body: ["and 1 more"] });
});

test("faults are counted while they are found, each under its place; a name of JavaScript's own is a name", () => {
	const faults = new Faults();
	expect(faults.some).toBe(false);
	faults.add("__proto__", ["is not a field"]);
	faults.add("", ["must be an object"], "items[1]");
	for (let place = 2; place < 40; place++) faults.add("url", ["is required", "is odd"], `items[${place}]`);
	const { details } = errorBody(faults.failure()).error;
	expect(Object.keys(details ?? {}).slice(0, 3)).toEqual(["__proto__", "items[1]", "items[2].url"]);
	expect(details?.body).toEqual(["and 58 more"]);
});
