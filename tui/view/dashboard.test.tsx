import { describe, expect, test } from "bun:test";
import { BLOCK_REASONS } from "@svc/sdk/lists";
import { key, keys, play, queueOf, sampleItem, started } from "@svc/test/support/dashboard";
import { rowsOf, STYLES, styledRows } from "@svc/test/support/frame";
import { render } from "ink-testing-library";
import type { State } from "../state/model.ts";
import { wantedPreview } from "../state/preview.ts";
import { widthOf } from "../text.ts";
import { Dashboard } from "./dashboard.tsx";
import { THEMES } from "./theme.ts";

const frameOf = (state: State) => trimmed(rowsOf(state)).join("\n");
const trimmed = (rows: readonly string[]) => rows.map((row) => row.trimEnd());

const report = {
	id: "rep_1",
	object: "report",
	image_id: "img_1",
	app_id: "app_1",
	reason: "spam",
	note: "looks odd",
	email: null,
	source: "person",
	outcome: null,
	resolved_at: null,
	resolved_by: null,
	created_at: "2026-01-01T00:30:00.000Z",
} as const;

describe("a frame", () => {
	test("says who works where, and whether keys change anything [tui.view.header]", () => {
		expect(frameOf(queueOf([])).split("\n")[0]).toMatch(
			/local · op@example\.com \(operator\) · App Shop.* READ-WRITE *$/,
		);
		expect(frameOf(queueOf([], { readOnly: true })).split("\n")[0]).toMatch(/ READ-ONLY *$/);
	});

	test("where there is little room, what people work in stands there whole, and who they are as far as there is room [tui.view.header-narrow]", () => {
		for (const columns of [50, 60, 80, 120]) {
			const [head = ""] = frameOf(queueOf([], { columns })).split("\n");
			expect(head).toContain("App Shop");
			expect(head).toContain("op@example.com");
			expect(widthOf(head.trimEnd())).toBeLessThanOrEqual(columns);
		}
	});

	test("only a service in live mode is LIVE, in red [tui.view.mode]", () => {
		const headOf = (mode: "live" | "test") => styledRows({ ...queueOf([]), mode }, "dark")[0];
		expect(headOf("live")).toEndWith("\u001b[7m\u001b[38;5;203m LIVE \u001b[39m\u001b[27m");
		expect(headOf("test")).toEndWith("\u001b[7m\u001b[38;5;221m TEST \u001b[39m\u001b[27m");
	});

	test("shows facts, reports and history of the image under the cursor [tui.view.detail]", () => {
		const by = { actor: "acc_1", actor_email: "eve@example.com" };
		const action = { ...report, ...by, object: "moderation_action", action: "unlock", similar_to: null } as const;
		const item = sampleItem("img_1", { reports: [report], reports_count: 1, actions: [action] });
		const frame = frameOf(queueOf([item]));
		for (const text of ["img_1", "1.2 kB", "spam: looks odd", "30m ago", "unlock for spam by eve@example.com"]) {
			expect(frame).toContain(text);
		}
	});

	test("a flagged picture says that it is covered, until v; one that is not there says nothing of it [tui.view.covered]", () => {
		const state = queueOf([sampleItem("img_1", { reports: [report], reports_count: 1 })]);
		expect(frameOf(state)).toContain("[picture under way]");
		const drawing = { kind: "cells", lines: ["▀"], columns: 1, rows: 1 } as const;
		const covered = play(state, { type: "preview", key: wantedPreview(state)?.key ?? "", drawing }).state;
		expect(frameOf(covered)).toContain("[flagged, and therefore covered; v shows it]");
		for (const other of [state, play(covered, key("v")).state]) expect(frameOf(other)).not.toContain("covered");
	});

	test("a picture that is alone stands under a line that says what it is [tui.view.full]", () => {
		const image = { ...sampleItem("img_1").image, filename: "a\u001b[2J.png" };
		const alone = play(queueOf([sampleItem("img_1", { image }), sampleItem("img_2")]), key("f")).state;
		const lines = frameOf(alone).split("\n");
		expect(lines[3]).toMatch(/^┃1 of 2 · ○ open · a\[2J\.png, png, 4×3 +┃$/);
		expect(lines.at(-1)).toMatch(/\? keys {2}: find {2}q back *$/);
		const flagged = queueOf([sampleItem("img_1", { reports: [report], reports_count: 1 })], { columns: 40, rows: 12 });
		const narrow = play(flagged, key("f")).state;
		const drawing = { kind: "cells", lines: ["▀"], columns: 1, rows: 1 } as const;
		const covered = play(narrow, { type: "preview", key: wantedPreview(narrow)?.key ?? "", drawing }).state;
		for (const row of rowsOf(covered).slice(3, -3)) expect([row, widthOf(row), row.at(-1)]).toEqual([row, 40, "┃"]);
	});

	test("how to find the keys and how to leave is shown in every width [tui.view.last-keys]", () => {
		for (const columns of [40, 80, 100, 200]) {
			expect(
				frameOf(queueOf([sampleItem("img_1")], { columns }))
					.split("\n")
					.at(-1),
			).toMatch(/\? keys {2}: find {2}q quit/);
		}
	});

	test("fills the terminal exactly, with wide and hostile names, in every size [tui.view.size]", () => {
		const image = { ...sampleItem("img_1").image, filename: "日本\u001b[2J\u202e👩‍👩‍👧‍👦\n.png".repeat(9) };
		for (const [columns, rows] of [
			[120, 30],
			[99, 24],
			[100, 10],
			[40, 8],
			[200, 60],
		] as const) {
			const lines = frameOf(queueOf([sampleItem("img_1", { image })], { columns, rows })).split("\n");
			expect([columns, lines.length]).toEqual([columns, rows]);
			expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
		}
	});

	test("of ten thousand images only those on the screen are drawn [tui.view.rows]", () => {
		const things = Array.from({ length: 10_000 }, (_, index) => sampleItem(`img_${index}`));
		const state = play(queueOf(things), ...keys("G")).state;
		const { lastFrame, rerender, unmount } = render(<Dashboard state={state} theme={THEMES.dark} />);
		expect(lastFrame()).toContain("img_9999.png");
		expect(lastFrame()?.match(/\.png/g)?.length).toBeLessThan(40);
		const up = play(state, ...keys(...Array<string>(20).fill("k"))).state;
		rerender(<Dashboard state={up} theme={THEMES.dark} />);
		expect(lastFrame()?.replace(STYLES, "")).toMatch(/▸ .*img_9979/);
		unmount();
	});

	test("states are told by words and signs, not by colour alone [tui.view.words]", () => {
		const blocked = { ...sampleItem("img_2").image, status: "blocked" };
		const frame = frameOf(
			queueOf([sampleItem("img_1", { locked: true }), sampleItem("img_2", { blocked_reason: "dmca", image: blocked })]),
		);
		expect(frame).toContain("▣ locked");
		expect(frame).toContain("⛒ dmca");
	});
});

describe("while and after loading", () => {
	test("nothing for 150 ms, then a skeleton [tui.view.skeleton]", () => {
		const state = started();
		expect(frameOf(state)).not.toContain("░");
		const seq = state.lists.moderation.pending?.seq ?? -1;
		expect(frameOf(play(state, { type: "slow", screen: "moderation", seq }).state)).toContain("░");
	});

	test("an empty screen names the next key [tui.view.empty]", () => {
		expect(frameOf(queueOf([]))).toContain("s shows the next queue");
	});

	test("an error keeps the stale data, with a badge [tui.view.stale]", () => {
		const { state } = play(queueOf([sampleItem("img_1")]), key("r"));
		const refused = { type: "refused", screen: "moderation", seq: state.seq, message: "It is down." } as const;
		const frame = frameOf(play(state, refused).state);
		expect(frame).toContain("img_1.png");
		expect(frame).toContain("✗ STALE, tries again by itself: It is down.");
	});
});

describe("questions", () => {
	test("b asks for the reason by number [tui.view.reason]", () => {
		expect(frameOf(play(queueOf([sampleItem("img_1")]), key("b")).state)).toContain(
			BLOCK_REASONS.map((reason, place) => `${place + 1} ${reason}`).join("  "),
		);
	});

	test("? lists every key that does something now [tui.view.keys]", () => {
		const frame = frameOf(play(queueOf([], { rows: 50 }), key("?")).state);
		for (const label of ["Lock", "Undo the last change", "Go to Audit", "Filter"]) expect(frame).toContain(label);
		const narrow = play(queueOf([], { columns: 60, rows: 50 }), key("?")).state;
		expect(frameOf(narrow)).toContain("Mark all that the filter shows");
	});
});

describe("an empty list", () => {
	test("says what to do next also while it is read again, and not before it has been read [tui.view.empty-steady]", () => {
		const empty = queueOf([], { screen: "keys" });
		const said = "This App has no key. c creates one";
		expect(frameOf(empty)).toContain(said);
		expect(frameOf(play(empty, { type: "tick", nowMs: empty.nowMs + 15_000 }, key("r")).state)).toContain(said);
		expect(frameOf(started({ screen: "keys" }))).not.toContain(said);
	});
});

describe("the audit", () => {
	test("says while it is followed that it is, and how that ends [tui.view.following]", () => {
		const state = play(queueOf([], { screen: "audit", columns: 120 }), key("f")).state;
		expect(frameOf(state)).toContain("following · 0");
		expect(frameOf(state)).toContain("f stop following");
		expect(frameOf(play(state, key("f")).state)).not.toContain("following · 0");
	});
});

test("of a user without images that is said, and what leads to the App's own [tui.view.user-images]", () => {
	const own = queueOf([], { screen: "images" });
	expect(frameOf(own)).toContain("There is no image.");
	const user = { id: "usr_1", email: "a@example.com" };
	expect(frameOf({ ...own, user })).toContain("a@example.com has no image here. i shows the App's own.");
});

describe("a notice", () => {
	test("goes by itself once it could be read, an error does not [tui.view.notice-goes]", () => {
		const later = (state: State, seconds: number) =>
			play(state, { type: "tick", nowMs: state.nowMs + seconds * 1_000 }).state.notice?.text;
		const copied = play(queueOf([sampleItem("img_1")]), key("y")).state;
		expect([later(copied, 5), later(copied, 10)]).toEqual(["Copied img_1.", undefined]);
		const wrong: State = { ...copied, notice: { tone: "danger", text: "No." } };
		expect(later(wrong, 60)).toBe("No.");
		const gone = play(wrong, { type: "tick", nowMs: wrong.nowMs + 5_000 }, key("j")).state;
		expect([later(gone, 20), later(gone, 25)]).toEqual(["No.", undefined]);
	});
});
