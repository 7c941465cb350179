import { describe, expect, test } from "bun:test";
import { acted, key, keys, NOW_MS, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import type { Event, State } from "../model.ts";
import { listOf, selectedOf } from "./list.ts";

const TICK: Event = { type: "tick", nowMs: NOW_MS };
const of = (...ids: readonly string[]) => ids.map((id) => sampleItem(id));
const ids = (state: State) => listOf(state).things.map(({ id }) => id);
const at = (state: State) => selectedOf(listOf(state))?.id;
const frameOf = (state: State) => rowsOf(state).join("\n");
type Page = Extract<Event, { type: "page" }>;

/** The screen after the next reading by itself. */
function afterNews(state: State, things: Page["things"], more: Partial<Page> = {}): State {
	const asked = play(state, TICK);
	expect(asked.effects).toMatchObject([{ type: "load", cursor: undefined }]);
	const { screen, seq } = asked.state;
	return play(asked.state, { type: "page", screen, seq, things, nextCursor: undefined, ...more }).state;
}

describe("what is new", () => {
	test("is counted and waits for g; nothing moves under the cursor before [tui.live.new]", () => {
		const state = afterNews(play(queueOf(of("a", "b")), key("j")).state, of("x", "y", "a", "b"));
		expect([ids(state), at(state)]).toEqual([["a", "b"], "b"]);
		expect(frameOf(state)).toContain("2 new: g");
		const shown = play(state, key("g")).state;
		expect([ids(shown), at(shown)]).toEqual([["x", "y", "a", "b"], "x"]);
		expect(frameOf(shown)).not.toContain("new: g");
	});

	test("comes at once where there was nothing [tui.live.first]", () => {
		expect(ids(afterNews(queueOf([]), of("a")))).toEqual(["a"]);
	});

	test("is only what the filter lets through [tui.live.filter]", () => {
		const filtered = play(queueOf(of("a", "b")), ...keys("/", "b", "enter")).state;
		expect(frameOf(afterNews(filtered, of("x", "a", "b")))).not.toContain("new: g");
		expect(frameOf(afterNews(filtered, of("bx", "a", "b")))).toContain("1 new: g");
	});

	test("g shows a thing as it was changed meanwhile, and none that is gone [tui.live.new]", () => {
		const news = afterNews(queueOf(of("a", "b")), of("x", "a", "b"));
		const locked = play(news, key("l")).state;
		const things = [sampleItem("a", { locked: true, revision: 2 })];
		const done = play(locked, acted(locked.seq, { things }), key("g")).state;
		expect(listOf(done).things).toMatchObject([{ id: "x" }, { id: "a", revision: 2 }, { id: "b" }]);
	});
});

describe("what another person does", () => {
	test("changes the row in its place [tui.live.changed]", () => {
		const state = afterNews(queueOf(of("a", "b")), [sampleItem("a"), sampleItem("b", { locked: true })]);
		expect([listOf(state).things[1], at(state)]).toMatchObject([{ locked: true }, "a"]);
	});

	test("takes rows away, but neither the one under the cursor nor the marked ones: these say so [tui.live.gone]", () => {
		const marked = play(queueOf(of("a", "b", "c", "d")), ...keys("j", "j", " ")).state;
		expect(at(marked)).toBe("d");
		const selected = sampleItem("d", {
			blocked_reason: "dmca",
			image: { ...sampleItem("d").image, status: "blocked" },
		});
		const state = afterNews(marked, of("b"), { selected });
		expect([ids(state), at(state)]).toEqual([["b", "c", "d"], "d"]);
		expect(frameOf(state)).toContain("⛒ dmca");
		expect(frameOf(state)).toContain("not in this list any more");
		const left = afterNews(play(state, ...keys("escape", "k", "k")).state, of("b"));
		expect([ids(left), at(left)]).toEqual([["b"], "b"]);
	});

	test("is asked for of what is under the cursor as well [tui.live.selected]", () => {
		const { effects } = play(queueOf(of("a", "b")), key("j"), TICK);
		expect(effects).toMatchObject([{ type: "load", selected: "b" }]);
	});
});

describe("a list of several pages", () => {
	const first = queueOf(of("a", "b", "c", "d"));
	test("keeps what stands behind the page that was read again [tui.live.pages]", () => {
		const state = afterNews(first, of("x", "a", "b"), { nextCursor: "next" });
		expect(ids(state)).toEqual(["a", "b", "c", "d"]);
		expect(ids(play(state, key("g")).state)).toEqual(["x", "a", "b", "c", "d"]);
		expect(ids(afterNews(first, of("a", "c"), { nextCursor: "next" }))).toEqual(["a", "c", "d"]);
	});

	test("begins anew with g where a whole page of new ones has come [tui.live.pages]", () => {
		const state = afterNews(first, of("x", "y"), { nextCursor: "next" });
		expect(ids(state)).toEqual(["a", "b", "c", "d"]);
		const { lists } = play(state, key("g")).state;
		expect(lists.moderation).toMatchObject({ things: [{ id: "x" }, { id: "y" }], nextCursor: "next" });
	});
});

describe("nothing is read", () => {
	test("while the person types, or a change is under way; an answer from before the change counts for nothing [tui.live.paused]", () => {
		const state = queueOf(of("a", "b"));
		expect(play(state, key("/"), TICK).effects).toEqual([]);
		expect(play(play(state, key("l")).state, TICK).effects).toEqual([]);
		const asked = play(state, TICK).state;
		const page: Page = { type: "page", screen: "moderation", seq: asked.seq, things: of("a"), nextCursor: undefined };
		expect(listOf(play(asked, key("l"), page).state).things).toMatchObject([{ locked: true }, { id: "b" }]);
	});

	test("as often as before where nobody has touched the dashboard for a quarter of an hour, and at once after a key [tui.live.alone]", () => {
		const at = (minutes: number, seconds = 0): Event => ({
			type: "tick",
			nowMs: NOW_MS + minutes * 60_000 + seconds * 1_000,
		});
		const left = { ...queueOf(of("a")), nowMs: NOW_MS + 20 * 60_000 };
		expect([0, 5, 10, 25, 30].map((seconds) => play(left, at(20, seconds)).effects.length)).toEqual([1, 0, 0, 0, 1]);
		expect(play(left, key("j"), at(20, 5)).effects).toHaveLength(1);
	});

	test("before the last answer, and seldom of what seldom changes [tui.live.seldom]", () => {
		expect(play(queueOf(of("a")), TICK, TICK).effects).toHaveLength(1);
		const keysOf = (nowMs: number) => play(queueOf([], { screen: "keys" }), { type: "tick", nowMs }).effects.length;
		expect([0, 5_000, 10_000, 15_000].map((ms) => keysOf(NOW_MS + ms))).toEqual([1, 0, 0, 1]);
	});
});

test("what could not be read is asked for again by itself until it is there [tui.live.recovers]", () => {
	const asked = play(queueOf(of("a")), TICK).state;
	const refused = { type: "refused", screen: "moderation", seq: asked.seq, message: "It is down." } as const;
	const stale = play(asked, refused).state;
	expect(frameOf(stale)).toContain("STALE");
	expect(frameOf(afterNews(stale, of("a")))).not.toContain("STALE");
	const never = { ...stale, lists: { ...stale.lists, moderation: { ...stale.lists.moderation, loaded: false } } };
	expect(play(never, TICK).state.lists.moderation.pending).toMatchObject({ kind: "first" });
});

test("once the service is back, a picture that could not be fetched meanwhile is asked for again [tui.live.picture]", () => {
	const words: NonNullable<State["preview"]> = { key: "x", drawing: { kind: "words", words: "[no preview]" } };
	const lost = play(queueOf(of("a")), TICK).state;
	const stale = { type: "refused", screen: "moderation", message: "No." } as const;
	const seen = play(lost, { ...stale, seq: lost.seq }).state;
	expect(afterNews({ ...seen, preview: words }, of("a")).preview).toBeUndefined();
	expect(afterNews({ ...queueOf(of("a")), preview: words }, of("a")).preview).toBe(words);
});
