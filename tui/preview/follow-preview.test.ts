import { expect, test } from "bun:test";
import { createManagement } from "@svc/sdk/management";
import { key, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import type { Preview, State } from "../state/model.ts";
import { wantedPreview } from "../state/preview.ts";
import { followPreview } from "./previews.ts";

const open = queueOf([sampleItem("img_1"), sampleItem("img_2")]);
const keyOf = (state: State) => wantedPreview(state)?.key ?? "";
const shown = play(open, { type: "preview", key: keyOf(open), drawing: { kind: "words", words: "" } }).state;
const next = play(shown, key("j")).state;

function follower(took: (preview: Preview) => void = () => undefined, answer = async () => new Response("no picture")) {
	const asked: string[] = [];
	const signals: (AbortSignal | null | undefined)[] = [];
	const fetch = async (url: unknown, init?: RequestInit) => {
		asked.push(String(url));
		signals.push(init?.signal);
		return await answer();
	};
	const stop = new AbortController();
	const management = createManagement({ baseUrl: "http://api.test", apiKey: "svc_ses_x", fetch, retries: 0 });
	const follow = followPreview({ management, fetch, env: {}, stopped: stop.signal, took });
	return { asked, signals, stop, follow };
}

/** The first picture that comes when these states follow each other. */
function comesOf(...states: readonly State[]) {
	return new Promise<{ preview: Preview; asked: readonly string[] }>((took) => {
		const { follow, asked } = follower((preview) => took({ preview, asked }));
		for (const state of states) follow(state);
	});
}

test("only the picture at which the cursor comes to rest is fetched, and none where that one is shown [tui.preview.rest]", async () => {
	const back = follower();
	for (const state of [shown, next, shown]) back.follow(state);
	// Begun later, with the same rest.
	const { preview, asked } = await comesOf(open, shown, next);
	expect(preview.key).toBe(keyOf(next));
	expect(asked).toEqual([expect.stringContaining("img_2")]);
	expect(back.asked).toEqual([]);
});

test("a picture that is under way when the dashboard is left keeps nothing waiting [tui.preview.stopped]", async () => {
	const [asking, resting] = [follower(undefined, () => new Promise(() => undefined)), follower()];
	asking.follow(next);
	await comesOf(next);
	resting.follow(next);
	for (const { stop } of [asking, resting]) stop.abort();
	await comesOf(next);
	expect(asking.signals.map((signal) => signal?.aborted)).toEqual([true]);
	expect(resting.asked).toEqual([]);
});
