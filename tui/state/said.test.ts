import { describe, expect, test } from "bun:test";
import { key, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import { type State, say } from "./model.ts";
import { wantedPreview } from "./preview.ts";
import { bodyRows } from "./sizes.ts";

const WORDS = Array.from({ length: 20 }, (_, index) => `word${index}`);
const LONG = `A long notice: ${WORDS.join(" ")} with its end.`;
const saidRows = (state: State) => rowsOf(state).map((row) => row.trim());

describe("a notice", () => {
	test("that is longer than the screen is wide goes on in the next lines, and the rows above give way [tui.said.whole]", () => {
		const state = queueOf([sampleItem("img_1")], { columns: 60, rows: 24 });
		const rows = saidRows(say(state, "warn", LONG));
		expect(rows).toHaveLength(24);
		expect(rows.slice(-4, -1).join(" ")).toContain(`! ${LONG}`);
		expect(rows.at(-5)).toMatch(/^┗━+┛$/);
	});

	test("has its own lines below a question, which stays whole as well [tui.said.question]", () => {
		const asked = play(queueOf([sampleItem("img_1")], { columns: 80, rows: 24 }), key("b")).state;
		const rows = saidRows(say(asked, "danger", LONG));
		expect(rows).toHaveLength(24);
		expect(rows.at(-5)).toStartWith("Block for: ");
		expect(rows.slice(-4, -1).join(" ")).toContain(`✗ ${LONG}`);
	});

	test("takes four lines at most, and one of five rows; then an ellipsis ends it [tui.said.bound]", () => {
		const state = queueOf([sampleItem("img_1")], { columns: 60, rows: 24 });
		const longest = say(state, "danger", LONG.repeat(9));
		expect(saidRows(longest).at(-2)).toEndWith("…");
		expect(bodyRows(state) - bodyRows(longest)).toBe(3);
		expect(bodyRows(state) - bodyRows(say({ ...state, rows: 10 }, "danger", LONG))).toBe(15);
	});

	test("does not make the picture beside it anew [tui.said.picture]", () => {
		const state = queueOf([sampleItem("img_1")], { rows: 24 });
		expect(wantedPreview(say(state, "danger", LONG.repeat(9)))?.key).toBe(wantedPreview(state)?.key ?? "");
	});
});
