import { describe, expect, test } from "bun:test";
import { key, keys, NOW_MS, play, queueOf, sampleItem, started } from "@svc/test/support/dashboard";
import { listOf, selectedOf, visibleOf } from "./lists/list.ts";
import type { Event, State } from "./model.ts";
import { reduce, start } from "./reduce.ts";
import { SCREENS } from "./screens.ts";

const items = (count: number) => Array.from({ length: count }, (_, index) => sampleItem(`img_${index}`));
const at = (state: State) => selectedOf(listOf(state))?.id;
const types = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type);
const page = (seq: number, ids: readonly string[], nextCursor?: string): Event => {
	return { type: "page", screen: "moderation", seq, things: ids.map((id) => sampleItem(id)), nextCursor };
};

describe("start", () => {
	test("asks who is there, then loads what the screen shows [tui.start]", () => {
		const first = start({
			columns: 80,
			rows: 24,
			nowMs: NOW_MS,
			profile: "local",
			readOnly: false,
			commands: [],
			pictures: "cells",
			screen: "moderation",
		});
		expect(types(first.effects)).toEqual(["meet", "wait"]);
		const person = { email: "op@example.com", operator: true };
		const { effects } = play(first.state, { type: "met", person, app: undefined });
		expect(effects[0]).toMatchObject({
			type: "load",
			screen: "moderation",
			queues: { moderation: "reported" },
			operator: true,
		});
	});

	test("whoever is no operator begins with the Apps [tui.start.person]", () => {
		const person = { email: "a@example.com", operator: false };
		const { state } = play(started(), { type: "met", person, app: undefined });
		expect(state.screen).toBe("apps");
	});
});

test("a screen that could not be loaded is asked for again when it is shown again [tui.again]", () => {
	const asked = play(queueOf([]), key("4")).state;
	const refused = play(asked, { type: "refused", screen: "users", seq: asked.seq, message: "It is down." }).state;
	expect(types(play(refused, ...keys("1", "4")).effects)).toContain("load");
});

test("an image is said to be opened once a browser has it, and its address is there where there is none [tui.open]", () => {
	const asked = play(queueOf(items(1)), key("o"));
	expect(asked.effects).toEqual([{ type: "open", url: "http://cdn.test/t/img_0.png" }]);
	expect(asked.state.notice).toBeUndefined();
	const url = "http://cdn.test/t/img_0.png";
	const noticeOf = (isOpen: boolean) => play(asked.state, { type: "opened", url, isOpen }).state.notice;
	expect(noticeOf(true)).toEqual({ tone: "good", text: `Opening ${url}` });
	expect(noticeOf(false)).toEqual({ tone: "warn", text: `There is no browser here: ${url}` });
});

describe("answers that cross", () => {
	test("who is there is taken once: a second answer neither chooses another App nor leaves a screen waiting [tui.start.once]", () => {
		const person = { email: "op@example.com", operator: true };
		const app = { id: "app_1", name: "One", role: "owner" };
		const asked = play(started(), key("2")).state;
		const met = play(asked, { type: "met", person, app }).state;
		const elsewhere: State = { ...met, app: { ...app, id: "app_2" } };
		const again = play(elsewhere, { type: "met", person, app });
		expect([again.state.app?.id, again.effects]).toEqual(["app_2", []]);
		expect(types(play(met, key("1")).effects)).toContain("load");
	});

	test("a block is of what was chosen when it was asked for, whatever the list has become [tui.moderation.block-chosen]", () => {
		const asked = play(queueOf(items(2)), ...keys("r", "b"));
		const { state } = play(asked.state, page(asked.state.seq, ["img_9"]));
		expect(at(state)).toBe("img_9");
		expect(play(state, key("2")).effects).toMatchObject([{ act: { verb: "block", targets: [{ id: "img_0" }] } }]);
	});

	test("a paste does nothing to a secret that is shown [tui.secret.paste]", () => {
		const shown: State = { ...queueOf(items(1)), overlay: { kind: "secret", secret: "svc_sk_test_x" } };
		const pasted = play(shown, { type: "paste", text: "yyy" });
		expect([pasted.state, pasted.effects]).toEqual([shown, []]);
	});
});

describe("moves", () => {
	test.each([
		[["j", "j", "k"], "img_1"],
		[["down", "down", "up"], "img_1"],
		[["G"], "img_49"],
		[["G", "g"], "img_0"],
		[["pagedown"], "img_22"],
		[["G", "pageup"], "img_27"],
		[["k"], "img_0"],
		[["G", "j"], "img_49"],
	])("%j ends on %s [tui.moves]", (names, id) => {
		expect(at(play(queueOf(items(50)), ...keys(...names)).state)).toBe(id);
	});

	test("1 to 7 show the screens; one that was loaded stays, and only its news are asked for [tui.moves.screens]", () => {
		const first = play(queueOf([]), key("3"));
		expect([first.state.screen, types(first.effects)]).toEqual(["keys", ["load", "wait"]]);
		const there = play(first.state, {
			type: "page",
			screen: "keys",
			seq: first.state.seq,
			things: [],
			nextCursor: undefined,
		});
		expect(play(there.state, key("1"), key("3")).state.lists.keys).toMatchObject({
			loaded: true,
			pending: { kind: "news" },
		});
	});

	test("q leaves the detail, then the program [tui.moves.back]", () => {
		const detail = play(queueOf(items(1)), key("enter")).state;
		expect(detail.pane).toBe("detail");
		const list = play(detail, key("q"));
		expect([list.state.pane, list.effects]).toEqual(["list", []]);
		expect(play(list.state, key("q")).effects).toEqual([{ type: "quit", exit: 0 }]);
	});

	test("leaves at once, also out of a question [tui.moves.ctrl-c]", () => {
		expect(play(queueOf(items(1)), key("b"), key("c", true)).effects).toEqual([{ type: "quit", exit: 130 }]);
	});
});

describe("answers", () => {
	test("the answer of an older request changes nothing [tui.answers.late]", () => {
		const { state } = play(queueOf(items(2)), key("r"), key("r"));
		const late = play(state, page(state.seq - 1, ["img_old"]));
		expect(late.state).toBe(state);
		expect(at(play(late.state, page(state.seq, ["img_new"])).state)).toBe("img_new");
	});

	test("a refresh keeps the cursor on its image, and drops marks on those that are gone [tui.answers.cursor]", () => {
		const { state } = play(queueOf(items(3)), ...keys(" ", " ", "r"));
		const next = play(state, page(state.seq, ["img_9", "img_2", "img_1"])).state;
		expect(at(next)).toBe("img_2");
		expect([...listOf(next).marked]).toEqual(["img_1"]);
	});

	test("the next page is fetched near the end, once, and repeats nothing [tui.answers.more]", () => {
		const first = play(queueOf([]), key("r")).state;
		const ids = Array.from({ length: 60 }, (_, index) => `img_${index}`);
		const loaded = play(first, page(first.seq, ids, "cur_2"));
		expect(loaded.effects).toEqual([]);
		const near = play(loaded.state, ...keys("G", "k", "k"));
		expect(near.effects.filter(({ type }) => type === "load")).toMatchObject([{ cursor: "cur_2" }]);
		const all = play(near.state, page(near.state.seq, ["img_59", "img_60"]));
		expect(visibleOf(listOf(all.state))).toHaveLength(61);
	});

	test("an error keeps what is there and says so; the next success takes it away [tui.answers.stale]", () => {
		const { state } = play(queueOf(items(2)), key("r"));
		const refused = play(state, { type: "refused", screen: "moderation", seq: state.seq, message: "no" }).state;
		expect(listOf(refused)).toMatchObject({ error: "no", pending: undefined });
		expect(visibleOf(listOf(refused))).toHaveLength(2);
		const again = play(refused, key("r")).state;
		expect(listOf(play(again, page(again.seq, [])).state).error).toBeUndefined();
	});

	test("a request shows only after a while that it is under way [tui.answers.slow]", () => {
		const { state, effects } = play(queueOf(items(2)), key("r"));
		expect(effects).toContainEqual({ type: "wait", screen: "moderation", seq: state.seq, milliseconds: 150 });
		const slow = play(state, { type: "slow", screen: "moderation", seq: state.seq }).state;
		expect(listOf(slow).pending?.slow).toBe(true);
		expect(play(slow, page(state.seq, []), { type: "slow", screen: "moderation", seq: state.seq }).state).toMatchObject(
			{
				lists: { moderation: { pending: undefined } },
			},
		);
	});
});

describe("the filter", () => {
	test("shows what holds every word; esc shows all [tui.filter]", () => {
		const { state } = play(queueOf(items(20)), ...keys("/", "i", "m", "g", "_", "1", "2"));
		expect(visibleOf(listOf(state)).map(({ id }) => id)).toEqual(["img_12"]);
		expect(visibleOf(listOf(play(state, ...keys("enter", "escape")).state))).toHaveLength(20);
	});

	test("what kind of thing it is, and of what it is made, is not looked for [tui.filter.kind]", () => {
		const { state } = play(queueOf(items(3)), ...keys("/", ..."moderation"));
		expect(visibleOf(listOf(state))).toEqual([]);
	});

	test("gets every key, q and digits too [tui.filter.keys]", () => {
		const { state, effects } = play(queueOf(items(2)), ...keys("/", "q", "1", "l", "backspace"));
		expect([listOf(state).filter, effects]).toEqual(["q1", []]);
	});

	test("pasted text is filtered for, and is no row of commands elsewhere [tui.filter.paste]", () => {
		const pasted: Event = { type: "paste", text: "img_1\n" };
		expect(listOf(play(queueOf(items(2)), key("/"), pasted).state).filter).toBe("img_1");
		const outside = play(queueOf(items(2)), { type: "paste", text: "lbq" });
		expect([outside.effects, outside.state.changes]).toEqual([[], []]);
	});

	test("a marks what the filter shows, esc clears marks before the filter [tui.filter.marks]", () => {
		const { state } = play(queueOf(items(20)), ...keys("/", "g", "_", "1", "enter", "a"));
		expect(listOf(state).marked.size).toBe(11);
		const cleared = play(state, key("escape")).state;
		expect([listOf(cleared).marked.size, listOf(cleared).filter]).toEqual([0, "g_1"]);
	});
});

describe("the picture alone", () => {
	test("f shows it, j and k go on to the next one, f, q and esc lead back, and nothing is marked or left by that [tui.full]", () => {
		const marked = play(queueOf(items(3)), ...keys(" ", "f")).state;
		expect([marked.pane, at(marked)]).toEqual(["picture", "img_1"]);
		const next = play(marked, key("j")).state;
		expect([next.pane, at(next)]).toEqual(["picture", "img_2"]);
		for (const leave of ["f", "q", "escape"]) {
			const { state, effects } = play(next, key(leave));
			expect([state.pane, listOf(state).marked.size, effects]).toEqual(["list", 1, []]);
		}
	});

	test("opened from the detail it leads back to the detail; esc leaves that before it clears the filter [tui.full.under]", () => {
		const detail = play(queueOf(items(3)), ...keys("/", "i", "enter", "tab")).state;
		for (const leave of ["f", "q", "escape"]) expect(play(detail, ...keys("f", leave)).state.pane).toBe("detail");
		const list = play(detail, key("escape")).state;
		expect([list.pane, listOf(list).filter]).toEqual(["list", "i"]);
		expect(listOf(play(list, key("escape")).state).filter).toBe("");
	});

	test("also where nothing may be changed; without an image it says so [tui.full.read-only]", () => {
		expect(play(queueOf(items(1), { readOnly: true }), key("f")).state.pane).toBe("picture");
		const { state } = play(queueOf([]), key("f"));
		expect([state.pane, state.notice?.text]).toEqual(["list", "No image is chosen."]);
	});

	test("what can be done to an image can be done to it there [tui.full.changes]", () => {
		expect(play(queueOf(items(2)), ...keys("f", "j", "l")).effects).toMatchObject([
			{ act: { verb: "lock", targets: [{ id: "img_1" }] } },
		]);
	});
});

test("every entry of the key list runs, and a search finds it [tui.search.keys]", () => {
	const { state } = play(queueOf(items(1)), ...keys("?", "l", "o", "c", "k"));
	expect(state.overlay).toMatchObject({ kind: "search", query: "lock" });
	const ran = play(state, key("enter"));
	expect(ran.effects).toMatchObject([{ type: "act", act: { verb: "lock" } }]);
});

test("a command of the CLI is copied [tui.search.palette]", () => {
	const commands = [{ line: "svc keys delete", summary: "Revoke keys", reads: false, needs: [] }];
	const { effects } = play(queueOf([], { commands }), ...keys(":", "k", "r", "e", "v", "enter"));
	expect(effects).toEqual([{ type: "copy", text: "svc keys delete" }]);
});

test("the palette finds screens before keys and commands, and Enter goes there [tui.search.screens]", () => {
	const commands = [{ line: "svc tickets list", summary: "List upload tickets", reads: false, needs: [] }];
	const { state } = play(queueOf([], { commands }), ...keys(":", "t", "i", "c", "k", "enter"));
	expect(state).toMatchObject({ screen: "tickets", overlay: undefined });
});

test("] and [ step through the screens, around both ends [tui.moves.step]", () => {
	const first = queueOf([]);
	expect(play(first, key("]")).state.screen).toBe("apps");
	expect(play(first, key("["), key("]")).state.screen).toBe("moderation");
	expect(play(first, key("[")).state.screen).toBe(SCREENS.at(-1) ?? "moderation");
});

test("the same state and event give the same step, and no step changes the state that it came from [tui.pure]", () => {
	const state = queueOf(items(3));
	const before = structuredClone(listOf(state).things);
	for (const name of ["l", "b", " ", "a", "j", "r", "s", "?", ":", "/", "enter"]) {
		expect(reduce(state, key(name))).toEqual(reduce(state, key(name)));
	}
	expect(listOf(state).things).toEqual(before);
});

test("G says that there is more than is loaded, and goes on once it has come [tui.moves.last]", () => {
	const asked = play(started(), { type: "met", person: { email: "op@example.com", operator: true }, app: undefined });
	const page = (seq: number, from: number, nextCursor: string | undefined): Event => {
		const things = items(from + 30).slice(from);
		return { type: "page", screen: "moderation", seq, things, nextCursor };
	};
	const first = play(asked.state, page(asked.state.seq, 0, "next")).state;
	const last = play(first, key("G"));
	expect([listOf(last.state).cursor, last.state.notice?.text]).toEqual([
		29,
		"This is the last one that is loaded; G goes on once more have come.",
	]);
	const whole = play(last.state, page(last.state.seq, 30, undefined), key("G")).state;
	expect(listOf(whole).cursor).toBe(59);
});
