import { describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import { key, play, started } from "@svc/test/support/dashboard";
import { fakeService } from "@svc/test/support/fake-service";
import { rowsOf } from "@svc/test/support/frame";
import { type EffectContext, run } from "../service/effects.ts";
import { createStore } from "../store.ts";
import { bindingsOf } from "./bindings.ts";
import { listOf, refresh, withList } from "./lists/list.ts";
import { type Effect, REASON_RANGE, type State } from "./model.ts";
import { ALL_SCREENS, type ScreenName } from "./screens.ts";
import type { Thing } from "./things.ts";

/* Walks all keys of the help on every screen, each on a list of what the service answers. */

/** What each key does, by its words in the help. */
const DOES: Readonly<Record<string, string | RegExp>> = {
	Down: "cursor 21",
	Up: "cursor 19",
	"To the first one": "cursor 0",
	"To the last one": "cursor 39",
	"A page down": "cursor 39",
	"A page up": "cursor 0",
	"Open; an App: work in it; an endpoint: its deliveries": /^(pane detail|app|screen deliveries)$/,
	"The other pane": "pane detail",
	Filter: "asks filter",
	"The next queue, or state": "load",
	"Show or hide a flagged picture": "revealed",
	"The picture alone, or the list again": "pane picture",
	"Open in a browser": "open",
	"Copy its address, transformed": "asks text",
	"Save it in the folder of the start": "save",
	"The images of this user": "screen images",
	"The App's own images": "load",
	"Follow what happens": "says",
	"Copy the id": "copy",
	"Copy the address to upload to": "copy",
	Refresh: "load",
	"Back to the list; clear marks, then the filter": "marked 0",
	"All keys": "asks search",
	"Find a screen, a key or a command": "asks search",
	"Back, or quit": /^(quit|screen webhooks)$/,
	"The next screen": /^screen /,
	"The screen before": /^screen /,
	Mark: "marked 2",
	"Mark all that the filter shows": "marked 40",
	Lock: "act moderate lock",
	[`Block, then ${REASON_RANGE} for the reason`]: "asks reason",
	"Unblock or unlock": /^act moderate un(lock|block)$/,
	"Flag as nsfw, or not": /^act moderate (not_)?nsfw$/,
	"Undo the last change": "act moderate unlock",
	"Pause or resume the App": "act app pause",
	[`Block the App, then ${REASON_RANGE}`]: "asks reason",
	"Unblock the App": "act app unblock",
	"Make an App": "asks form",
	"Rename the App, and its settings": "asks form",
	"The App's plan and limits": "look-up",
	"Plan and limits of this App": "look-up",
	"Delete the App": "asks confirm",
	"Create a key": "asks form",
	"Rotate: a successor of the key": "act key rotate",
	"Revoke the key": "asks confirm",
	"Give the user a plan for nothing": "asks form",
	"Disconnect the user": "asks confirm",
	"Make a plan": "asks form",
	"Change what is said of the plan": "asks form",
	"Add a price": "asks form",
	"Put prices on sale, or take them off": "asks form",
	"Archive the plan": "asks confirm",
	"Add an endpoint": "asks text",
	"Send a test event": "act webhook test",
	"Disable or enable": /^act webhook (dis|en)able$/,
	"Send what was not delivered": "asks text",
	"Rotate: another secret": "act webhook rotate",
	"Remove the endpoint": "asks confirm",
	"Deliver it again": "act delivery redeliver",
	"Create a preset": "asks form",
	"Edit the preset": "asks form",
	"Remove the preset": "asks confirm",
	"Create a signing key": "asks text",
	"Remove the signing key": "asks confirm",
	"Caption, labels, dates, name": "asks form",
	"Delete, for a day to be taken back": /^(act images delete|asks confirm)$/,
	"Bring back what was deleted last": "act images restore",
	"More time, for nothing": "asks form",
	"Pay an invoice back": "asks form",
	"End the subscription": "asks form",
	"Cancel the ticket": "asks confirm",
	"Bring it back from the trash": "act trash restore",
};

const service = fakeService();
const options = { baseUrl: "http://svc.test", apiKey: "svc_ses_x", retries: 0, fetch: service.fetch };
const NOTHING_DONE = { copy: () => undefined, quit: () => undefined, open: async () => true };

/** What makes each key of a screen do something. */
const FITTING: Partial<Record<ScreenName, object>> = {
	deliveries: { state: "failed" },
	tickets: { state: "open", url: "http://svc.test/upload" },
	webhooks: { url: "https://app.example.com/hooks", state: "enabled" },
	subscriptions: { ended_at: null, invoices: [{ number: "1", currency: "usd", amount_paid: 5, amount_refunded: 0 }] },
};
/** What some keys need otherwise. */
const NEEDED: Readonly<Record<string, object>> = {
	"Unblock the App": { state: "blocked" },
	"Unblock or unlock": { locked: true },
};

/** The screen with forty things, the cursor in their middle, one that is marked where one can mark, and something to undo. */
async function opened(screen: ScreenName): Promise<State> {
	const running = new Set<Promise<void>>();
	const begin = (effect: Effect) => {
		if (effect.type === "wait" || effect.type === "listen") return;
		const one = run(effect, context).finally(() => running.delete(one));
		running.add(one);
	};
	const context: EffectContext = {
		management: createManagement(options),
		clientOf: (app) => createClient({ ...options, app }),
		app: "app_1",
		signal: new AbortController().signal,
		dispatch: (event) => store.dispatch(event),
		...NOTHING_DONE,
		read: async () => [],
		save: async () => "",
		keepTheme: async () => "",
	};
	const first = screen === "deliveries" ? "webhooks" : screen;
	const store = createStore(refresh(started({ screen: first })), begin);
	const settled = async () => {
		while (running.size > 0) await Promise.all(running);
	};
	await settled();
	if (screen === "deliveries") store.dispatch(key("enter"));
	await settled();
	const { state } = store;
	const sample = state.lists[screen].things.at(-1);
	if (sample === undefined) throw new Error(`There is nothing on the screen ${screen}.`);
	const things = Array.from(
		{ length: 40 },
		(_, at) => ({ ...sample, ...FITTING[screen], id: `${sample.id}${at}` }) as Thing,
	);
	const target = { id: `${sample.id}20`, revision: 1, reason: undefined };
	return {
		...withList(state, (list) => ({ ...list, things, cursor: 20 })),
		app: { id: "app_1", name: "Shop", role: "owner", sells: true },
		undos: [{ verb: "unlock", targets: [target] }],
		deletions: [{ app: "app_1", user: undefined, ids: [target.id] }],
	};
}

/** What pressing the key has done, in a word or two. */
function outcome(before: State, name: string): string {
	const { state, effects } = play(before, key(name.replace(/^ctrl-/, ""), name.startsWith("ctrl-")));
	return sent(effects) ?? seen(before, state) ?? (effects.length > 0 ? "load" : (moved(before, state) ?? "nothing"));
}

function sent(effects: readonly Effect[]): string | undefined {
	const effect = effects.find(({ type }) => !["load", "wait", "listen"].includes(type));
	return effect?.type === "act" ? `act ${effect.act.kind} ${effect.act.verb}` : effect?.type;
}

/** What else is on the screen. */
function seen(before: State, { overlay, screen, pane, app }: State): string | undefined {
	if (overlay !== undefined) return `asks ${overlay.kind}`;
	if (screen !== before.screen) return `screen ${screen}`;
	if (pane !== before.pane) return `pane ${pane}`;
	return app?.id === before.app?.id ? undefined : "app";
}

function moved(before: State, after: State): string | undefined {
	const [was, is] = [listOf(before), listOf(after)];
	if (is.marked.size !== was.marked.size) return `marked ${is.marked.size}`;
	if (is.cursor !== was.cursor) return `cursor ${is.cursor}`;
	if (after.revealed !== before.revealed) return "revealed";
	return after.notice === undefined ? undefined : "says";
}

/** The screen as the key of that label needs it. */
function fittedTo(label: string, state: State): State {
	const fitting = NEEDED[label] ?? {};
	return withList(state, (list) => ({
		...list,
		things: list.things.map((thing) => ({ ...thing, ...fitting }) as Thing),
		marked: new Set(/mark/i.test(label) ? [list.things[0]?.id ?? ""] : []),
	}));
}

describe("the help", () => {
	test.each(ALL_SCREENS)("of %s names each key once, and each does what it says [tui.help.does]", async (screen) => {
		const state = await opened(screen);
		const keys = bindingsOf(state).flatMap((binding) => binding.keys.map((name) => ({ ...binding, name })));
		expect(keys.map(({ name }) => name).toSorted()).toEqual([...new Set(keys.map(({ name }) => name))].toSorted());
		for (const { name, label, goes } of keys.filter((one) => one.goes !== screen)) {
			const does = goes === undefined ? DOES[label] : `screen ${goes}`;
			const done = outcome(fittedTo(label, state), name);
			const isThat = does instanceof RegExp ? does.test(done) : does === done;
			expect([label, name, done, isThat]).toEqual([label, name, done, true]);
		}
	});

	test("says of nothing that a key would do it where the list is empty, besides what makes the first one [tui.help.empty]", async () => {
		for (const screen of ALL_SCREENS) {
			const state = await opened(screen);
			const empty = { ...withList(state, (list) => ({ ...list, things: [] })), undos: [], deletions: [], columns: 300 };
			const pairs = rowsOf(empty).at(-1)?.trim().split("  ") ?? [];
			const words = pairs.map((pair) => pair.slice(pair.indexOf(" ") + 1));
			const allowed = [
				"create",
				"add",
				"queue",
				"follow",
				"limits",
				"test",
				"recover",
				"refresh",
				"keys",
				"find",
				"quit",
				"back",
			];
			expect([screen, words.filter((word) => !allowed.includes(word))]).toEqual([screen, []]);
		}
	});
});
