import { describe, expect, test } from "bun:test";
import { acted, key, keys, play, queueOf, refused } from "@svc/test/support/dashboard";
import { listOf } from "../lists/list.ts";
import type { State } from "../model.ts";
import type { Thing } from "../things.ts";

describe("an App", () => {
	const app = {
		id: "app_1",
		object: "app",
		name: "Shop",
		state: "active",
		paused_at: null,
		blocked_at: null,
		sign_in_enabled: true,
		selling_enabled: false,
		plan: "free",
		limits: { images: null, users: null },
		free_limits: { images: null, bytes: null },
		delivery_referrers: [],
		delivery_limits: { bytes: null, renditions: null },
		image_host: null,
		tax: { mode: "none", behavior: "exclusive" },
		promotion_codes: false,
		delivery: "open",
		profile: {
			developer: null,
			homepage_url: null,
			privacy_url: null,
			terms_url: null,
			support_email: null,
			logo_image_id: null,
			accent_color: null,
		},
		created_at: "2026-01-01T00:00:00.000Z",
		images: 7,
	} as const;
	const apps = queueOf([app], { screen: "apps" });

	test("e changes what each user without a plan may keep, and what is left empty has no limit [tui.apps.free-limits]", () => {
		const limited = { ...app, free_limits: { images: 3, bytes: 1_000 } };
		const { state } = play(queueOf([limited], { screen: "apps" }), ...keys("e", "tab", "tab", "tab", "0", "tab"));
		const { effects } = play(state, key("u", true), key("s", true));
		expect(effects).toMatchObject([
			{ act: { kind: "app-settings", id: "app_1", changes: { freeLimits: { images: 30, bytes: null } } } },
		]);
		const one = play(queueOf([limited], { screen: "apps" }), ...keys("e", "tab", "tab", "tab", "0"), key("s", true));
		expect(one.effects).toMatchObject([{ act: { changes: { freeLimits: { images: 30 } } } }]);
		expect(one.effects).not.toMatchObject([{ act: { changes: { name: app.name } } }]);
	});

	test("p pauses and resumes, and what the answer leaves out stays [tui.apps.pause]", () => {
		const { state, effects } = play(apps, key("p"));
		expect(effects).toMatchObject([{ act: { kind: "app", verb: "pause", id: "app_1" } }]);
		const { images: _, ...answer } = { ...app, state: "paused" };
		const after = play(state, acted(state.seq, { things: [answer] })).state;
		expect(listOf(after).things[0]).toMatchObject({ state: "paused", images: 7 });
		expect(play(after, key("p")).effects).toMatchObject([{ act: { verb: "resume" } }]);
	});

	test("b then a reason blocks it, for operators only [tui.apps.block]", () => {
		expect(play(apps, ...keys("b", "3")).effects).toMatchObject([
			{ act: { kind: "app", verb: "block", reason: "spam" } },
		]);
		const member: State = { ...apps, person: { email: "a@example.com", operator: false } };
		expect(play(member, ...keys("b", "3", "u")).effects.filter(({ type }) => type === "act")).toEqual([]);
	});

	test("Enter works in it: what belongs to another App is forgotten [tui.apps.choose]", () => {
		const other = { ...apps, app: { id: "app_2", name: "Other", role: undefined } };
		const keysThere = play(other, key("3")).state;
		const loaded = play(keysThere, {
			type: "page",
			screen: "keys",
			seq: keysThere.seq,
			things: [],
			nextCursor: undefined,
		});
		const { state } = play(loaded.state, ...keys("2", "enter"));
		expect([state.app?.id, state.lists.keys.loaded]).toEqual(["app_1", false]);
	});
});

test("f shows what is new in the audit as it comes, but not to somebody who reads further down [tui.audit.follow]", () => {
	const entry = (id: string): Thing => ({
		id,
		object: "audit_entry",
		actor: "acc_1",
		event: "key.revoked",
		target: "key_1",
		changes: null,
		request_id: null,
		created_at: "2026-01-01T00:00:00.000Z",
	});
	const things = [entry("aud_2"), entry("aud_1")];
	const read = (state: State) => {
		const asked = play(state, { type: "tick", nowMs: 1 }).state;
		const page = {
			screen: "audit",
			seq: asked.seq,
			things: [entry("aud_3"), ...things],
			nextCursor: undefined,
		} as const;
		return play(asked, { type: "page", ...page }).state;
	};
	const topOf = (state: State) => listOf(state).things[0]?.id;
	const state = queueOf(things, { screen: "audit" });
	expect(topOf(read(state))).toBe("aud_2");
	const follows = play(state, key("f")).state;
	expect([topOf(read(follows)), listOf(read(follows)).cursor]).toEqual(["aud_3", 0]);
	expect(topOf(read(play(follows, key("j")).state))).toBe("aud_2");
	expect(play(follows, key("enter")).state).toMatchObject({ screen: "keys", lists: { keys: { filter: "key_1" } } });
});

test("m brings what is marked back from the trash, and what is gone by then is told [tui.trash.restore]", () => {
	const blob = (id: string): Thing => ({
		id,
		object: "trashed_blob",
		image_id: "img_1",
		bytes: 9,
		trashed_at: "2026-01-01T00:00:00.000Z",
		removed_at: "2026-01-31T00:00:00.000Z",
		known: false,
	});
	const things = ["img_1/a", "img_2/b", "img_3/c"].map(blob);
	const { state, effects } = play(queueOf(things, { screen: "trash" }), ...keys(" ", " ", "m"));
	const act = { kind: "trash", verb: "restore", ids: ["img_1/a", "img_2/b"] } as const;
	expect(effects.at(-1)).toEqual({ type: "act", seq: state.seq, act });
	const told = play(state, acted(state.seq, { gone: ["img_1/a"], failures: refused("img_2/b") })).state;
	expect(told.lists.trash.things.map(({ id }) => id)).toEqual(["img_2/b", "img_3/c"]);
	expect(told.notice).toEqual({ tone: "danger", text: "not img_2/b" });
	expect(play(queueOf(things, { screen: "trash", readOnly: true }), key("m")).effects).toEqual([]);
});

test("Enter on what happened to an image finds it among all images [tui.audit.jump]", () => {
	const entry: Thing = {
		id: "aud_1",
		object: "audit_entry",
		actor: "acc_1",
		event: "image.created",
		target: "img_7",
		changes: null,
		request_id: null,
		created_at: "2026-01-01T00:00:00.000Z",
	};
	const { state, effects } = play(queueOf([entry], { screen: "audit" }), key("enter"));
	expect(state).toMatchObject({
		screen: "moderation",
		queues: { moderation: "all" },
		lists: { moderation: { filter: "img_7" } },
	});
	expect(effects[0]).toMatchObject({ type: "load", screen: "moderation", queues: { moderation: "all" } });
});

describe("what cannot be undone", () => {
	const apiKey = {
		id: "key_1",
		object: "key",
		name: "Shop",
		reach: "app",
		permissions: ["read"],
		prefix: "svc_sk_",
		last4: "wxyz",
		last_used_at: null,
		expires_at: null,
		created_at: "2026-01-01T00:00:00.000Z",
		created_by: "acc_1",
		revoked_at: null,
		revoke_reason: null,
		replaced_by: null,
	} as const;
	const asked = play(queueOf([apiKey], { screen: "keys" }), key("x")).state;

	test("is sent only once it was typed, letter for letter [tui.confirm]", () => {
		expect(play(asked, ...keys("w", "x", "enter")).effects).toEqual([]);
		const { effects } = play(asked, ...keys("w", "x", "y", "z", "enter"));
		expect(effects).toMatchObject([{ type: "act", act: { kind: "key", verb: "revoke", app: "app_1", id: "key_1" } }]);
	});

	test("c asks for what it is for, and the secret stays until esc; no list holds it [tui.keys.create]", () => {
		const apiKeys = queueOf([apiKey], { screen: "keys" });
		const { state, effects } = play(apiKeys, ...keys("c", "C", "I"), key("s", true));
		expect(effects).toMatchObject([{ type: "act", act: { kind: "new-key", app: "app_1", name: "CI" } }]);
		const made = play(state, acted(state.seq, { things: [{ ...apiKey, id: "key_2" }], secret: "svc_sk_x" })).state;
		expect(listOf(made).things.map(({ id }) => id)).toEqual(["key_2", "key_1"]);
		const shown = play(made, ...keys("q", "j", "enter", "y"));
		expect([shown.state.overlay, shown.effects]).toEqual([
			{ kind: "secret", secret: "svc_sk_x" },
			[{ type: "copy", text: "svc_sk_x" }],
		]);
		const after = play(shown.state, key("escape")).state;
		expect(JSON.stringify(after)).not.toContain("svc_sk_x");
	});

	test("while one secret is on its way no other is asked for, and nobody leaves [tui.keys.one-secret]", () => {
		const { state, effects } = play(queueOf([apiKey], { screen: "keys" }), key("t"));
		expect(effects).toMatchObject([{ act: { kind: "key", verb: "rotate" } }]);
		for (const name of ["t", "c", "q"]) {
			const again = play(state, key(name));
			expect([again.effects, again.state.overlay, again.state.notice?.tone]).toEqual([[], undefined, "warn"]);
		}
	});

	test("a refusal is told [tui.keys.create-refused]", () => {
		const { state } = play(queueOf([apiKey], { screen: "keys" }), ...keys("c", "C"), key("s", true));
		const after = play(state, acted(state.seq, { failures: refused("C") })).state;
		expect(after.notice).toEqual({ tone: "danger", text: "not C" });
	});

	test("esc leaves everything as it is [tui.confirm.escape]", () => {
		const { effects, state } = play(asked, ...keys("w", "x", "y", "z", "escape", "enter"));
		expect([effects, state.overlay]).toEqual([[], undefined]);
	});
});
