import { describe, expect, test } from "bun:test";
import { acted, key, keys, play, queueOf } from "@svc/test/support/dashboard";
import type { Event, State } from "../model.ts";
import type { Field, Form } from "./form.ts";
import { openForm } from "./form.ts";

const FIELDS: readonly Field[] = [
	{ kind: "text", name: "name", label: "Name", hint: "what it is called", value: "Gold" },
	{ kind: "number", name: "limits.images", label: "Images", hint: "how many", unit: "images", value: "" },
	{ kind: "choice", name: "sells", label: "Sells", hint: "or not", value: "no", choices: ["yes", "no", "nobody"] },
];

const SAVE = key("s", true);

function opened(): State {
	return openForm(queueOf([], { screen: "apps" }), {
		title: "A form",
		fields: FIELDS,
		read: (values) =>
			values.name === ""
				? { errors: { name: "is needed" } }
				: { kind: "new-app", verb: "create", name: JSON.stringify(values) },
	}).state;
}

function formOf({ overlay }: State): Form {
	if (overlay?.kind !== "form") throw new Error("There is no form.");
	return overlay;
}

const valuesOf = (state: State) => formOf(state).fields.map(({ value }) => value);
const typed = (text: string) => keys(...text);
const after = (...events: Event[]) => play(opened(), ...events).state;

describe("fields", () => {
	test("text is changed at the caret, which moves by characters as people see them [tui.form.text]", () => {
		expect(valuesOf(after(...typed("en")))[0]).toBe("Golden");
		expect(valuesOf(after(...keys("left", "backspace", "u", "home", "delete", "B", "end", "!")))[0]).toBe("Boud!");
		expect(valuesOf(after(...typed("👩‍👩‍👧"), ...keys("backspace", "backspace")))[0]).toBe("Gol");
	});

	test("a number takes digits alone [tui.form.number]", () => {
		expect(valuesOf(after(...keys("tab", ...Array.from("1,2 0x0"))))[1]).toBe("1200");
	});

	test("a choice goes round, and a letter goes to the one that begins with it [tui.form.choice]", () => {
		const at = keys("tab", "tab");
		expect(valuesOf(after(...at, ...keys("right", " ")))[2]).toBe("yes");
		expect(valuesOf(after(...at, ...keys("left", "left")))[2]).toBe("nobody");
		expect(valuesOf(after(...at, ...keys("y")))[2]).toBe("yes");
	});

	test("tab goes round, the arrows stop at the ends, and enter goes on [tui.form.moves]", () => {
		const at = (...names: string[]) => formOf(after(...keys(...names))).at;
		expect([at("tab", "tab", "tab"), at("backtab"), at("up"), at("down", "down", "down"), at("enter")]).toEqual([
			0, 2, 0, 2, 1,
		]);
	});

	test("a paste is one line of text, of a number its digits, and never a command [tui.form.paste]", () => {
		const paste = (text: string): Event => ({ type: "paste", text });
		expect(valuesOf(after(paste("\nen\nand\u0013 more\n")))[0]).toBe("Golden and more");
		expect(valuesOf(after(key("tab"), paste("1.200 images")))[1]).toBe("1200");
		expect(valuesOf(after(...keys("tab", "tab"), paste("yes")))[2]).toBe("no");
	});
});

describe("sending", () => {
	test("enter sends from the last field, ctrl-s from each, with the number of the opening [tui.form.submit]", () => {
		const first = opened();
		for (const events of [keys("tab", "tab", "enter"), [SAVE]]) {
			const { effects, state } = play(first, ...events);
			expect(effects).toMatchObject([{ type: "act", act: { kind: "new-app" }, opening: formOf(first).opening }]);
			expect(formOf(state).sent).toBe(state.seq);
		}
		expect(play(first, ...keys("enter")).effects).toEqual([]);
	});

	test("nothing is sent twice while an answer is awaited, and no field changes [tui.form.once]", () => {
		const { effects, state } = play(opened(), SAVE, SAVE, ...keys("x", "enter"), SAVE, { type: "paste", text: "y" });
		expect([effects.length, valuesOf(state)[0]]).toEqual([1, "Gold"]);
	});

	test("what is tried again from one form is sent under one number, from another one under another [tui.form.opening]", () => {
		const first = play(opened(), SAVE).state;
		const failed = play(first, acted(first.seq, { failures: [{ id: "x", message: "no answer" }] })).state;
		const again = play(failed, SAVE).effects;
		expect(again).toMatchObject([{ opening: formOf(first).opening }]);
		expect(formOf(openForm(failed, formOf(failed)).state).opening).not.toBe(formOf(first).opening);
	});

	test("what is known to be wrong is said without sending, and no longer once the field changes [tui.form.own-errors]", () => {
		const { effects, state } = play(opened(), ...keys("backspace", "backspace", "backspace", "backspace"), SAVE);
		expect([effects, formOf(state).errors]).toEqual([[], { name: "is needed" }]);
		expect(formOf(play(state, key("A")).state).errors).toEqual({});
	});
});

describe("answers", () => {
	const sent = play(opened(), ...typed("en"), SAVE).state;

	test("close the form, and read the list anew where it lacks what was made [tui.form.done]", () => {
		const { state, effects } = play(sent, acted(sent.seq, {}));
		expect([state.overlay, effects.map(({ type }) => type)]).toEqual([undefined, ["load", "wait"]]);
	});

	test("a refusal stands beside its field, which gets the keys; what was typed stays [tui.form.errors]", () => {
		const details = { "limits.images": ["must not be negative"], "limits.images.deep": ["as well"] };
		const failures = [{ id: "x", message: "limits.images must not be negative.", details }];
		const { state } = play(sent, acted(sent.seq, { failures }));
		expect([formOf(state).errors, formOf(state).at, valuesOf(state)[0]]).toEqual([
			{ "limits.images": "must not be negative" },
			1,
			"Golden",
		]);
	});

	test("what is about no field is said below, as a conflict [tui.form.conflict]", () => {
		const { state } = play(sent, acted(sent.seq, { failures: [{ id: "x", message: "It is archived." }] }));
		expect([state.notice?.text, formOf(state).errors, formOf(state).sent]).toEqual(["It is archived.", {}, undefined]);
	});
});

describe("esc", () => {
	test("leaves a form that nobody touched at once, and asks where something was typed [tui.form.escape]", () => {
		expect(after(key("escape")).overlay).toBeUndefined();
		const asked = after(key("x"), key("escape"));
		expect(formOf(asked).isLeaving).toBe(true);
		expect(play(asked, key("y")).state.overlay).toBeUndefined();
		const back = play(asked, key("n")).state;
		expect([formOf(back).isLeaving, valuesOf(back)[0]]).toEqual([false, "Goldx"]);
	});
});
