import { describe, expect, test } from "bun:test";
import { date, labels, metadata, ttl } from "@svc/images/image-fields";
import fc from "fast-check";
import { dateModel, labelsModel, metadataModel, ttlModel } from "./field-models.ts";
import { dateParts, hostileMap, sentTtl, spelt } from "./field-values.ts";
import { runs } from "./seed.ts";

/* The schemas of the writable fields against naive models of the specification's bounds. */

/** As much of a schema as the standard that valibot follows says of any. */
interface Schema {
	readonly "~standard": {
		validate(sent: unknown): Verdict | Promise<Verdict>;
	};
}
type Verdict = { readonly value?: unknown; readonly issues?: readonly { readonly message: string }[] | undefined };

const REFUSED = Symbol("refused");

function judge(schema: Schema, sent: unknown): Verdict {
	const verdict = schema["~standard"].validate(sent);
	if (verdict instanceof Promise) throw new Error("a schema of a field waits for nothing");
	return verdict;
}

function outcome(schema: Schema, sent: unknown): unknown {
	const { value, issues } = judge(schema, sent);
	return issues ? REFUSED : value;
}

/** As it would arrive: JSON text, in which a key such as "__proto__" is a key like any other. */
function arrived(sent: unknown): unknown {
	return JSON.parse(JSON.stringify(sent));
}

describe.each([
	["metadata", metadata, metadataModel],
	["labels", labels, labelsModel],
] as const)("%s", (name, schema, model) => {
	test(`[image.${name}.bounds] any JSON value is taken exactly when the model takes it, and comes out as it went in`, () => {
		const property = fc.property(fc.oneof(hostileMap(name), fc.jsonValue()), (value) => {
			const sent = arrived(value);
			const taken = outcome(schema, sent);
			expect(taken !== REFUSED).toBe(model(sent));
			if (taken !== REFUSED) expect(JSON.stringify(taken)).toBe(JSON.stringify(sent));
		});
		fc.assert(property, runs(3_000));
	});

	test("a refusal says something for people, never more than a few kilobytes of it [errors.details-shape]", () => {
		const property = fc.property(hostileMap(name), (value) => {
			const issues = judge(schema, arrived(value)).issues ?? [];
			for (const { message } of issues) expect(message.length).toBeLessThan(700);
			expect(issues.length).toBeLessThan(53);
		});
		fc.assert(property, runs(500));
	});
});

describe("ttl", () => {
	test("every unit, number and text is worth what the model says [create.ttl.seconds, create.ttl.duration, create.ttl.min, create.ttl.max]", () => {
		const property = fc.property(sentTtl, (sent) => {
			expect(outcome(ttl, sent)).toBe(ttlModel(sent) ?? REFUSED);
		});
		fc.assert(property, runs(5_000));
	});

	test("permanent has two spellings [create.ttl.never]", () => {
		expect([outcome(ttl, null), outcome(ttl, "never")]).toEqual([null, null]);
	});
});

describe("published_at", () => {
	test("month ends, leap years and zones are what the calendar says [create.published_at.iso]", () => {
		const property = fc.property(dateParts, (parts) => {
			const sent = spelt(parts);
			const expected = dateModel(parts);
			expect([sent, outcome(date, sent)]).toEqual([sent, expected ?? REFUSED]);
		});
		fc.assert(property, runs(10_000));
	});

	test("any whole number is seconds; as text 1 to 10 digits are, but 4 or 8 are none [create.published_at.unix]", () => {
		const few = fc.integer({ min: -100_000, max: 100_000 });
		const many = fc.integer({ min: -9_999_999_999, max: 9_999_999_999 });
		const property = fc.property(fc.oneof(few, many, fc.double(), fc.maxSafeInteger()), (sent) => {
			const isDate = Number.isInteger(sent) && sent >= -62_167_219_200 && sent < 253_402_300_800;
			expect(outcome(date, sent)).toBe(isDate ? sent * 1_000 + 0 : REFUSED);
			const digits = `${Math.abs(sent)}`.length;
			const isText = isDate && digits <= 10 && digits !== 4 && digits !== 8;
			expect(outcome(date, `${sent}`)).toBe(isText ? sent * 1_000 + 0 : REFUSED);
		});
		fc.assert(property, runs(5_000));
	});

	test("whatever text is taken can be written as a date with a year of four digits [image.fields.published_at]", () => {
		const digits = fc.string({ unit: fc.constantFrom(..."0123456789-:+TZ. eE"), maxLength: 32 });
		const property = fc.property(fc.oneof(digits, dateParts.map(spelt), fc.string()), (sent) => {
			const taken = outcome(date, sent);
			if (taken === REFUSED) return;
			expect(new Date(taken as number).toISOString()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
		});
		fc.assert(property, runs(5_000));
	});
});
