import { describe, expect, test } from "bun:test";
import { caption, date as dateField, externalId, labels, metadata } from "@svc/images/image-fields";
import { externalIdOf, fitted, tagLabels } from "@svc/migrate/fitting";

/* What is left fits the service's own rules, whatever another place says. */

interface Schema {
	readonly "~standard": { validate(value: unknown): object };
}

/** What the service has against it. */
function faults(schema: Schema, value: unknown): unknown {
	const judged = schema["~standard"].validate(value);
	return "issues" in judged ? judged.issues : undefined;
}

const HOSTILE = [
	...["", " ", " x", "a,b", "x\0y", "\ud800", "é".repeat(129), "😀".repeat(128), "x".repeat(2_000), "__proto__"],
	...["constructor", "A b", "a.b-c_d", "x".repeat(64), "x".repeat(65), "猫", "\u202e"],
];

const pairs = Object.fromEntries(
	HOSTILE.flatMap((name) => HOSTILE.map((text, place) => [`${name}${place || ""}`, text])),
);

describe("what is kept of a picture", () => {
	test("fits the service's rules, and what is not kept is named", () => {
		const said = { caption: "😀".repeat(6_000), date: "2021-02-31", labels: pairs, metadata: pairs };
		const { fields, leftOut } = fitted(said);
		expect(faults(caption, fields.caption)).toBeUndefined();
		expect(faults(labels, fields.labels)).toBeUndefined();
		expect(faults(metadata, fields.metadata)).toBeUndefined();
		expect(Object.keys(fields.labels).length).toBe(20);
		expect(Object.keys(fields.metadata).length).toBe(50);
		expect(leftOut.length).toBe(2 + 2 * Object.keys(pairs).length - 70);
	});

	test("is all of it where all of it fits", () => {
		const said = { caption: "x", labels: { folder: "a/b" }, metadata: { "Any name": "" } };
		expect(fitted(said)).toEqual({ fields: { ...said, date: undefined }, leftOut: [] });
	});

	test("has a date only where the service takes it", () => {
		const dates = [
			"2019-05-01",
			"2019-05-01T10:00:00Z",
			"2021-04-06T16:30:35.394674+00:00",
			"1556704800",
			"0",
			"-86400",
		];
		const wrong = [
			"yesterday",
			"2019-02-30",
			"2019-13-01",
			"2019",
			"",
			"2019-05-01 10:00",
			"Wed, 01 May 2019 10:00:00 GMT",
		];
		for (const date of [...dates, ...wrong]) {
			const { fields } = fitted({ date, labels: {}, metadata: {} });
			expect([date, fields.date]).toEqual([date, faults(dateField, date) === undefined ? date : undefined]);
		}
		expect(dates.every((date) => faults(dateField, date) === undefined)).toBe(true);
	});
});

test("every name becomes an external id, and no two of them the same one", () => {
	const names = [...HOSTILE, "x".repeat(255), "x".repeat(256), "😀".repeat(255), "a/b c.png"];
	const ids = names.map(externalIdOf);
	expect(ids.filter((id) => faults(externalId, id) !== undefined)).toEqual([]);
	expect(new Set(ids).size).toBe(new Set(names).size);
	expect(externalIdOf("a/b c.png")).toBe("a/b c.png");
});

test("tags become labels that keep their spelling, and different tags stay different", () => {
	const tags = ["Wild Cat", "été", "ete", "猫", "犬", "a,b", "", "  ", "x".repeat(300), "😀", "C++", "C#"];
	const made = tagLabels(tags);
	expect(faults(labels, made)).toBeUndefined();
	expect(made).toMatchObject({ "tag.wild-cat": "Wild Cat", "tag.ete": "ete" });
	expect(Object.values(made)).toContain("猫");
	expect(Object.values(made)).toContain("犬");
});
