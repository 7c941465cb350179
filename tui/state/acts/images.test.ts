import { expect, test } from "bun:test";
import { acted, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";

const { image } = sampleItem("img_1");
const types = (things: readonly (typeof image)[], ...names: readonly string[]) =>
	play(queueOf(things, { screen: "images" }), ...keys(...names));

test("what can be brought back is deleted at once, what cannot only after it was confirmed [tui.images.confirm]", () => {
	expect(types([image], "x").effects).toMatchObject([{ type: "act", act: { verb: "delete", ids: ["img_1"] } }]);
	const older = types([{ ...image, public: false }], "x");
	expect([older.effects, older.state.overlay]).toMatchObject([[], { kind: "confirm", expected: "1" }]);
});

test("of more than a hundred marked ones the first hundred go, and it says how many are left [tui.batch.left]", () => {
	const many = Array.from({ length: 130 }, (_, index) => ({ ...image, id: `img_${index}` }));
	const { state, effects } = types(many, "a", "x");
	const gone = many.slice(0, 100).map(({ id }) => id);
	expect(effects).toMatchObject([{ act: { ids: gone } }]);
	const done = play(state, acted(state.seq, { gone })).state;
	expect(done.notice?.text).toContain("30 are still marked: the same key goes on.");
	expect(play(done, ...keys("x")).effects).toMatchObject([{ act: { ids: many.slice(100).map(({ id }) => id) } }]);
});
