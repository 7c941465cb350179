import { expect, test } from "bun:test";
import { GREY_SIDE, isAlike, type Likeness, likenessOf } from "./likeness.ts";

/** Numbers from -1 to 1 that look like chance, the same each time. */
function noise(seed: number): (at: number) => number {
	return (at) => {
		const drawn = Math.sin((at + 1) * 12.9898 + seed * 78.233) * 43_758.5453;
		return 2 * (drawn - Math.floor(drawn)) - 1;
	};
}

const [texture, other] = [noise(1), noise(2)];

/** A slope of light with a texture on it, of which a share is another one's. */
function grey(slope: 1 | -1, share: number): Uint8Array {
	return Uint8Array.from({ length: GREY_SIDE ** 2 }, (_, at) => {
		const light = slope * (at % GREY_SIDE) * 4 + (slope < 0 ? 124 : 0);
		return 60 + light + 24 * ((1 - share) * texture(at) + share * other(at));
	});
}

test("details in the same places are alike only where all is about as light, too, unless something was only laid over it", () => {
	const picture = grey(1, 0);
	const seen = (one: Uint8Array): readonly [Likeness, boolean] => {
		const likeness = likenessOf(picture, one);
		return [likeness, isAlike(picture, one, likeness)];
	};
	const [changed, isChangedAlike] = seen(grey(1, 0.5));
	const [stranger, isStrangerAlike] = seen(grey(-1, 0.5));
	for (const { details } of [changed, stranger]) expect(details > 0.7 && details < 0.9).toBe(true);
	expect([changed.light > 0.87, isChangedAlike, stranger.light < 0.5, isStrangerAlike]).toEqual([
		true,
		true,
		true,
		false,
	]);

	const covered = picture.map((value, at) => (at >= GREY_SIDE * 27 && at % GREY_SIDE > 25 ? 255 - value : value));
	const [laidOver, isStillAlike] = seen(covered);
	expect([laidOver.details > 0.9, isStillAlike]).toEqual([true, true]);
});
