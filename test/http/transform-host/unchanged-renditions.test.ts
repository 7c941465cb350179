import { beforeAll, describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import { corpusDir, corpusNote } from "../../support/corpus.ts";
import { serviceFor } from "../../support/service.ts";
import { type Answered, addresses, answersOf, codecs, type Kept } from "../../support/unchanged-renditions.ts";
import written from "./unchanged-renditions.json" with { type: "json" };

const kept: Kept = written;
const ofThisMachine = await codecs();
const service = serviceFor();
let answers: Readonly<Record<string, Answered>>;

const MIME = { jpg: "jpeg", png: "png", webp: "webp", avif: "avif", gif: "gif" } as const;

beforeAll(async () => {
	answers = await answersOf(service, addresses(corpusDir !== undefined));
}, 300_000);

/** What was written down, of the addresses that could be asked here and were answered in this format. */
function ofFormat(format: keyof typeof MIME, of: Readonly<Record<string, Answered>>) {
	const asked = Object.entries(of).filter(([address]) => answers[address] !== undefined);
	return asked.filter(([, { is }]) => is.startsWith(MIME[format]));
}

function onlyOf<Field extends keyof Answered>(entries: readonly (readonly [string, Answered])[], field: Field) {
	return Object.fromEntries(entries.map(([address, answer]) => [address, answer[field]]));
}

describe(`addresses that were given out before${corpusNote}`, () => {
	test("there are more than 200 of them", () => {
		expect(Object.keys(kept.answers)).toEqual([...addresses(true)]);
		expect(Object.keys(kept.answers).length).toBeGreaterThan(200);
	});

	for (const format of OUTPUT_FORMATS) {
		// Another codec gives other bytes: its machine compares what does not depend on it, and says so.
		const comparable = ofThisMachine[format] === kept.codecs[format];
		const note = comparable ? "" : " (SKIPPED: the codecs of this machine give other bytes)";

		test.skipIf(!comparable)(`those answered in ${format} give the same bytes as ever${note}`, () => {
			expect(onlyOf(ofFormat(format, answers), "sha256")).toEqual(onlyOf(ofFormat(format, kept.answers), "sha256"));
		});

		test(`those answered in ${format} give the same format, size and number of frames as ever`, () => {
			expect(onlyOf(ofFormat(format, answers), "is")).toEqual(onlyOf(ofFormat(format, kept.answers), "is"));
		});
	}

	test("what browsers and caches hold of them is still known by its validator", () => {
		for (const [address, { form }] of Object.entries(answers)) {
			expect([address, form]).toEqual([address, kept.answers[address]?.form ?? ""]);
		}
	});
});
