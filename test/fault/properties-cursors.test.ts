import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sealedCursors } from "@svc/base/cursors";
import { Failure } from "@svc/base/failure";
import type { Image } from "@svc/sdk/shapes";
import fc from "fast-check";
import { plain } from "../support/pictures.ts";
import { errorOf, headersOf, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { Dice, runs } from "./seed.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", ..."+/=. \n%é\0"];

/** Another text, most often one letter away. */
function changed(cursor: string, dice: Dice): string {
	const place = dice.below(cursor.length);
	const letter = dice.pick(LETTERS);
	const rest = cursor.slice(place + 1);
	return dice.pick([
		cursor.slice(0, place) + letter + rest,
		cursor.slice(0, -1) + letter,
		cursor.slice(0, place) + rest,
		cursor.slice(0, place) + letter + cursor.slice(place),
		cursor.slice(0, place),
		cursor + cursor.slice(0, place),
		`${cursor}=`,
		` ${cursor}`,
		cursor.toLowerCase(),
		[...cursor].reverse().join(""),
		dice.text(43, LETTERS.slice(0, 64).join("")),
	]);
}

const dice = fc.noShrink(fc.nat()).map((from) => new Dice(from));

describe("cursors", () => {
	test("any other text than the one that was issued is refused [list.cursor-opaque]", async () => {
		const cursors = await sealedCursors(crypto.getRandomValues(new Uint8Array(32)));
		const positions = fc.record({
			publishedMs: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
			pk: fc.nat(),
		});
		const property = fc.asyncProperty(positions, dice, fc.string(), async (position, die, scope) => {
			const cursor = await cursors.seal(position, scope);
			expect(await cursors.open(cursor, scope)).toEqual(position);
			const other = changed(cursor, die);
			if (other === cursor) return;
			const refusal = await cursors.open(other, scope).catch((cause: unknown) => cause);
			expect([other, refusal instanceof Failure && refusal.details]).toEqual([other, { cursor: [expect.any(String)] }]);
		});
		await fc.assert(property, runs(3_000));
	});
});

describe("walks", () => {
	let service: OpenService;
	let file: Buffer<ArrayBuffer>;
	beforeAll(async () => {
		service = await openService();
		file = await plain(2, 2);
	});
	afterAll(() => service.close());

	interface Page {
		readonly data: readonly Image[];
		readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
	}

	async function page(filter: string, limit: number, cursor: string | null): Promise<Page> {
		const place = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
		const answer = await service.api(`/v1/images?${filter}&limit=${limit}${place}`);
		if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
		return (await answer.json()) as Page;
	}

	/** One of few moments, so that many images share one. */
	function create(die: Dice, walk: string): Promise<Image> {
		return uploaded(service, file, "a.png", {
			published_at: `${1_700_000_000 + die.below(4)}`,
			labels: JSON.stringify({ walk, ...(die.chance(0.5) && { odd: "x" }) }),
		});
	}

	async function remove(image: Image | undefined): Promise<void> {
		if (image) await service.api(`/v1/images/${image.id}`, { method: "DELETE", headers: headersOf(service) });
	}

	/** Something that happens to a list while somebody walks through it. */
	async function disturb(die: Dice, walk: string, passing: Image[]): Promise<void> {
		if (die.chance(0.5)) passing.push(await create(die, walk));
		else await remove(passing.splice(die.below(passing.length + 1), 1)[0]);
	}

	let walks = 0;

	test("however large the pages and whatever comes and goes meanwhile, nothing repeats and nothing that stays is missed [list.cursor, list.order]", async () => {
		const property = fc.asyncProperty(dice, async (die) => {
			const walk = `w${walks++}`;
			const lasting = [];
			for (let count = 4 + die.below(8); count > 0; count--) lasting.push(await create(die, walk));
			const passing = [await create(die, walk), await create(die, walk)];
			const odd = die.chance(0.3);
			const filter = odd ? `label[walk]=${walk}&label[!odd]` : `label[walk]=${walk}`;
			const seen: Image[] = [];
			let cursor: string | null = null;
			do {
				const disturbances = Array.from({ length: die.below(3) }, () => disturb(die, walk, passing));
				const [found]: [Page, ...unknown[]] = await Promise.all([
					page(filter, 1 + die.below(5), cursor),
					...disturbances,
				]);
				seen.push(...found.data);
				expect(found.pagination.has_more).toBe(found.pagination.next_cursor !== null);
				cursor = found.pagination.next_cursor;
			} while (cursor !== null);
			expectWalk(seen, odd ? lasting.filter(({ labels }) => labels.odd === undefined) : lasting);
		});
		await fc.assert(property, { ...runs(25), endOnFailure: true });
	});

	function expectWalk(seen: readonly Image[], lasting: readonly Image[]): void {
		const ids = seen.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		expect(lasting.filter(({ id }) => !ids.includes(id))).toEqual([]);
		const moments = seen.map(({ published_at }) => published_at);
		expect(moments).toEqual(moments.toSorted().reverse());
	}

	test("422 names cursor for any other text, and for the right one with another filter [list.cursor-opaque]", async () => {
		for (let count = 0; count < 3; count++) await uploaded(service, file, "a.png", { labels: '{"k":"v"}' });
		const { pagination } = await page("label[k]=v", 1, null);
		const cursor = pagination.next_cursor ?? "";
		const property = fc.asyncProperty(dice, async (die) => {
			const other = changed(cursor, die);
			if (other === cursor) return;
			const answer = await service.api(`/v1/images?label[k]=v&cursor=${encodeURIComponent(other)}`);
			expect([other, await errorOf(answer)]).toMatchObject([other, { status: 422, fields: ["cursor"] }]);
		});
		await fc.assert(property, runs(200));
		for (const filter of ["", "label[k]=w", "label[k]=v,w", "label[!k]", "ids=img_x", "label[k]=v&label[!z]"]) {
			const answer = await service.api(`/v1/images?${filter}&cursor=${cursor}`);
			expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["cursor"] });
		}
	});
});
