import { describe, expect, test } from "bun:test";
import { BLOCK_REASONS } from "@svc/sdk/lists";
import type { ModerationItem } from "@svc/sdk/shapes";
import { acted, key, keys, play, queueOf, refused, sampleItem } from "@svc/test/support/dashboard";
import { listOf } from "../lists/list.ts";
import type { State } from "../model.ts";
import type { Thing } from "../things.ts";

const items = (count: number) => Array.from({ length: count }, (_, index) => sampleItem(`img_${index}`));
const itemOf = (state: State, id: string) => {
	return listOf(state).things.find((thing): thing is ModerationItem => thing.id === id);
};

describe("one image", () => {
	test("is shown as it will be, and sent with its revision [tui.moderation.optimistic]", () => {
		const { state, effects } = play(queueOf(items(2)), key("l"));
		expect(itemOf(state, "img_0")).toMatchObject({ locked: true });
		const targets = [{ id: "img_0", revision: 1, reason: undefined }];
		expect(effects).toEqual([
			{ type: "act", seq: state.seq, act: { kind: "moderate", verb: "lock", targets, isUndo: false } },
		]);
	});

	test("goes back to what it was when the service refuses, and says why [tui.moderation.rollback]", () => {
		const { state } = play(queueOf(items(2)), key("l"));
		const after = play(state, acted(state.seq, { failures: refused("img_0") })).state;
		expect(itemOf(after, "img_0")).toMatchObject({ locked: false });
		expect([after.notice, after.undos, after.changes]).toEqual([{ tone: "danger", text: "not img_0" }, [], []]);
	});

	test("what a refresh brought meanwhile stays [tui.moderation.rollback-newer]", () => {
		const { state } = play(queueOf(items(1)), key("l"), key("r"));
		const newer = sampleItem("img_0", { locked: true, revision: 7 });
		const pending = state.lists.moderation.pending?.seq ?? -1;
		const loaded = play(state, {
			type: "page",
			screen: "moderation",
			seq: pending,
			things: [newer],
			nextCursor: undefined,
		});
		const after = play(loaded.state, acted(state.changes[0]?.seq ?? -1, { failures: refused("img_0") })).state;
		expect(itemOf(after, "img_0")?.revision).toBe(7);
	});

	test.each(BLOCK_REASONS.map((reason, index) => [String(index + 1), reason]))(
		"b then %s blocks for %s [tui.moderation.block]",
		(digit, reason) => {
			const { state, effects } = play(queueOf(items(1)), key("b"), key(digit));
			expect(effects).toMatchObject([{ act: { verb: "block", targets: [{ reason }] } }]);
			expect(itemOf(state, "img_0")).toMatchObject({ blocked_reason: reason, image: { status: "blocked" } });
		},
	);

	test("any other key after b changes nothing and runs nothing [tui.moderation.block-escape]", () => {
		for (const name of ["escape", "0", String(BLOCK_REASONS.length + 1), "l", "q", "enter"]) {
			const { state, effects } = play(queueOf(items(1)), key("b"), key(name));
			expect([state.overlay, effects, state.changes]).toEqual([undefined, [], []]);
		}
	});

	test("z takes it back with the revision that the change made [tui.moderation.undo]", () => {
		const { state } = play(queueOf(items(1)), key("l"));
		const done = play(state, acted(state.seq, { things: [sampleItem("img_0", { locked: true, revision: 2 })] })).state;
		const { effects, state: after } = play(done, key("z"));
		expect(effects).toMatchObject([{ act: { verb: "unlock", isUndo: true, targets: [{ id: "img_0", revision: 2 }] } }]);
		expect(after.undos).toEqual([]);
	});

	test("an unblock is taken back with the reason that there was [tui.moderation.undo-reason]", () => {
		const image = { ...sampleItem("img_0").image, status: "blocked" };
		const { state } = play(queueOf([sampleItem("img_0", { blocked_reason: "dmca", image })]), key("u"));
		const done = play(state, acted(state.seq, { things: [sampleItem("img_0", { revision: 5 })] })).state;
		expect(play(done, key("z")).effects).toMatchObject([
			{ act: { verb: "block", targets: [{ reason: "dmca", revision: 5 }] } },
		]);
	});

	test("an unblock is not taken back where no reason is known, and none is made up [tui.moderation.undo-reason]", () => {
		const image = { ...sampleItem("img_0").image, status: "blocked" };
		const { state } = play(queueOf([sampleItem("img_0", { blocked_reason: null, image })]), key("u"));
		const done = play(state, acted(state.seq, { things: [sampleItem("img_0", { revision: 5 })] })).state;
		expect(done.notice?.text).toBe("1 image unblocked.");
		expect(play(done, key("z")).effects).toEqual([]);
	});

	test("z does nothing while a change is under way, and says so [tui.moderation.undo-waits]", () => {
		const { state, effects } = play(queueOf(items(1)), ...keys("l", "z"));
		expect([effects.length, state.notice?.tone]).toEqual([1, "warn"]);
	});

	test("an undo that could not be sent can be tried again, one that came too late cannot [tui.moderation.undo-again]", () => {
		const { state } = play(queueOf(items(1)), key("l"));
		const locked = sampleItem("img_0", { locked: true, revision: 2 });
		const undoing = play(state, acted(state.seq, { things: [locked] }), key("z")).state;
		const failures = refused("img_0");
		const unsent = play(undoing, acted(undoing.seq, { failures })).state;
		expect(play(unsent, key("z")).effects).toMatchObject([{ act: { verb: "unlock", targets: [{ revision: 2 }] } }]);
		const late = play(undoing, acted(undoing.seq, { failures, things: [sampleItem("img_0", { revision: 9 })] })).state;
		expect(late.undos).toEqual([]);
	});

	test("what would change nothing is not sent [tui.moderation.nothing]", () => {
		expect(play(queueOf(items(1)), key("u")).effects).toEqual([]);
		expect(play(queueOf([]), key("l")).effects).toEqual([]);
	});
});

describe("marked images", () => {
	const marked = (count: number) => play(queueOf(items(count)), key("a")).state;

	test("go in one call of at most 100; the others stay marked [tui.moderation.batch-limit]", () => {
		const { state, effects } = play(marked(130), key("l"));
		const [effect] = effects;
		const targets = effect?.type === "act" && effect.act.kind === "moderate" ? effect.act.targets : [];
		expect([effects.length, targets.length]).toEqual([1, 100]);
		const things: Thing[] = targets.map(({ id }) => sampleItem(id, { locked: true, revision: 2 }));
		const after = play(state, acted(state.seq, { things })).state;
		expect(listOf(after).marked.size).toBe(30);
	});

	test("failures stay marked and go back, the rest is done and can be undone [tui.moderation.batch-failures]", () => {
		const { state } = play(marked(3), key("l"));
		const things = [
			sampleItem("img_0", { locked: true, revision: 2 }),
			sampleItem("img_1", { locked: true, revision: 2 }),
		];
		const after = play(state, acted(state.seq, { things, failures: refused("img_2") })).state;
		expect([...listOf(after).marked]).toEqual(["img_2"]);
		expect(itemOf(after, "img_2")?.locked).toBe(false);
		expect(after.undos[0]?.targets.map(({ id }) => id)).toEqual(["img_0", "img_1"]);
	});
});

describe("read-only", () => {
	test("no key and no entry of the key list sends anything that changes something [tui.read-only.keys]", () => {
		const state = queueOf(items(3), { readOnly: true });
		for (const name of "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			const { effects, state: after } = play(state, key(name), key("1"), key("enter"));
			expect([name, effects.filter(({ type }) => type === "act"), after.changes]).toEqual([name, [], []]);
		}
	});
});
