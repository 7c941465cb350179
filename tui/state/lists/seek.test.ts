import { expect, test } from "bun:test";
import { key, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { listOf } from "./list.ts";
import { soughtIn } from "./seek.ts";

const letters = (text: string) => keys("/", ...text, "enter");
const images = queueOf([sampleItem("a").image], { screen: "images" });

test("Enter asks the service for labels, days and names of images; other words filter what comes [tui.seek]", () => {
	const { state, effects } = play(images, ...letters("album=pets sunset !draft"));
	expect(effects[0]).toMatchObject({ type: "load", search: "album=pets !draft", cursor: undefined });
	expect(listOf(state)).toMatchObject({ search: "album=pets !draft", filter: "sunset", things: [] });
});

test("what is only a word asks for nothing but further pages [tui.seek.words]", () => {
	expect(play(images, ...letters("sunset")).effects).toEqual([]);
	expect(play(queueOf([], { screen: "keys" }), ...letters("a=b")).effects).toEqual([]);
});

test("what is loaded as a whole is filtered here, and the service asked where there is more [tui.seek.loaded]", () => {
	const whole = queueOf([], { screen: "users" });
	expect(play(whole, ...letters("a@b.c")).effects).toEqual([]);
	const users = { ...listOf(whole), nextCursor: "next" };
	const part = { ...whole, lists: { ...whole.lists, users } };
	expect(play(part, ...letters("a@b.c")).effects[0]).toMatchObject({ type: "load", search: "a@b.c" });
});

test("esc ends the filter, then the search [tui.seek.clear]", () => {
	const found = play(images, ...letters("album=pets sunset")).state;
	const wider = play(found, key("escape")).state;
	expect(listOf(wider)).toMatchObject({ search: "album=pets", filter: "" });
	expect(play(wider, key("escape")).effects[0]).toMatchObject({ type: "load", search: "" });
});

test("each word of a search is what it says [tui.seek.read]", () => {
	const text = "album=pets a:b=c !draft after:2026-11-01 before:2026-12-01 name:IMG_";
	expect(soughtIn(text)).toEqual({
		labels: { album: "pets", "a:b": "c", draft: null },
		after: "2026-11-01",
		before: "2026-12-01",
		name: "IMG_",
		q: text,
	});
	expect(soughtIn("ada@example.com")).toMatchObject({ email: "ada@example.com", labels: {} });
	expect(soughtIn("who:acc_1 what:key.revoked")).toMatchObject({ who: "acc_1", what: "key.revoked" });
	expect(soughtIn("")).toEqual({ labels: {}, q: "" });
});
