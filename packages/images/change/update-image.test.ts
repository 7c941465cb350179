import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Image } from "../images.ts";
import { type ImageChanges, mergeChanges } from "./update-image.ts";

const NOW = Date.UTC(2026, 10, 21);

const IMAGE: Image = {
	pk: 1,
	id: "img_1",
	appPk: 1,
	storagePk: 1,
	teamHash: "team",
	status: "ready",
	locked: false,
	blockReason: null,
	nsfw: false,
	public: null,
	filename: "a.png",
	format: "png",
	width: 1,
	height: 1,
	bytes: 1,
	blobKey: "img_1/nonce",
	externalId: null,
	publishedMs: 5,
	expiresMs: null,
	createdMs: 5,
	caption: "",
	metadata: {},
	labels: {},
	revision: 1,
};

// Few keys, so that changes meet what is there; the last ones are those that plain objects inherit.
const key = fc.constantFrom("a", "b", "c", "10", "2", "constructor", "__proto__", "toString");
const text = fc.constantFrom("", "0", "1", "x");

function mapOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Readonly<Record<string, T>>> {
	return fc.array(fc.tuple(key, value), { maxLength: 8 }).map((entries) => Object.fromEntries(entries));
}

const image = fc
	.record({
		caption: text,
		publishedMs: fc.nat(3),
		expiresMs: fc.option(fc.constantFrom(NOW + 300_000, NOW + 600_000)),
		public: fc.option(fc.boolean()),
		metadata: mapOf(text),
		labels: mapOf(text),
	})
	.map((fields): Image => ({ ...IMAGE, ...fields }));

const changes: fc.Arbitrary<ImageChanges> = fc.record(
	{
		caption: fc.option(text),
		ttl: fc.option(fc.constantFrom(300, 600)),
		published_at: fc.nat(3),
		metadata: mapOf(fc.option(text)),
		labels: mapOf(fc.option(text)),
		public: fc.option(fc.boolean(), { nil: undefined }),
	},
	{ requiredKeys: [] },
);

/** The entries of a map after a merge, sorted by key: said with a list and nothing else. */
function naiveMerge(map: Readonly<Record<string, string>>, change: ImageChanges["labels"]): [string, string][] {
	let entries = Object.entries(map);
	for (const [name, value] of Object.entries(change ?? {})) {
		entries = entries.filter(([present]) => present !== name);
		if (value !== null) entries.push([name, value]);
	}
	return sorted(entries);
}

function sorted(entries: [string, string][]): [string, string][] {
	return entries.sort(([one], [two]) => (one < two ? -1 : 1));
}

function facts({ metadata, labels, ...rest }: Image) {
	return { ...rest, metadata: sorted(Object.entries(metadata)), labels: sorted(Object.entries(labels)) };
}

/** The facts of a merged image, field by field. */
function naive(before: Image, sent: ImageChanges): object {
	const { caption = before.caption, published_at = before.publishedMs, public: visible = before.public } = sent;
	const lasting = sent.ttl ? NOW + sent.ttl * 1_000 : null;
	return {
		...facts(before),
		caption: caption ?? "",
		publishedMs: published_at,
		expiresMs: "ttl" in sent ? lasting : before.expiresMs,
		public: visible,
		metadata: naiveMerge(before.metadata, sent.metadata),
		labels: naiveMerge(before.labels, sent.labels),
	};
}

describe("mergeChanges", () => {
	test("agrees with a naive model for any image and any change", () => {
		fc.assert(
			fc.property(image, changes, (before, sent) => {
				expect(facts(mergeChanges(before, sent, NOW)) as object).toEqual(naive(before, sent));
			}),
			{ numRuns: 2_000 },
		);
	});

	test("gives the very image back exactly when nothing differs, and leaves the one it was given alone", () => {
		fc.assert(
			fc.property(image, changes, (before, sent) => {
				const copy = JSON.stringify(before);
				const after = mergeChanges(before, sent, NOW);
				expect(after === before).toBe(Bun.deepEquals(facts(after), facts(before)));
				expect(mergeChanges(after, sent, NOW)).toBe(after);
				expect(JSON.stringify(before)).toBe(copy);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("keys that objects inherit are merged and removed like any other", () => {
		const sent: unknown = JSON.parse('{"__proto__":"a","constructor":"b"}');
		const after = mergeChanges(IMAGE, { labels: sent as ImageChanges["labels"] }, NOW);
		expect(JSON.stringify(after.labels)).toBe('{"__proto__":"a","constructor":"b"}');
		const removal: unknown = JSON.parse('{"__proto__":null,"toString":null}');
		const cleared = mergeChanges(after, { labels: removal as ImageChanges["labels"] }, NOW);
		expect(JSON.stringify(cleared.labels)).toBe('{"constructor":"b"}');
	});
});
