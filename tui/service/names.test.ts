import { expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import type { AuditEntry } from "@svc/sdk/shapes";
import type { ClientOptions } from "@svc/sdk/wire/request";
import { NOW_MS, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import type { ScreenName } from "../state/screens.ts";
import type { Asked } from "./asked.ts";
import { namedEntries } from "./names.ts";

const ANSWERS: Readonly<Record<string, unknown>> = {
	me: { id: "acc_1", email: "me@example.com" },
	"apps/app_1/members": { data: [{ id: "acc_2", email: "editor@example.com" }] },
	"apps/app_1/keys": { data: [{ id: "key_1", name: "Backend" }] },
	apps: { data: [{ id: "app_1", name: "Shop" }] },
};

function asking() {
	const calls: string[] = [];
	const options: ClientOptions = {
		baseUrl: "http://svc.test",
		apiKey: "svc_ses_x",
		retries: 0,
		fetch: async (url) => {
			const call = new URL(url).pathname.replace("/v1/", "");
			calls.push(call);
			const found = ANSWERS[call];
			const error = { type: "permission_error", code: "forbidden", message: "Not for you." };
			return found === undefined ? Response.json({ error }, { status: 403 }) : Response.json(found);
		},
	};
	const asked = {
		management: createManagement(options),
		clientOf: (app: string) => createClient({ ...options, app }),
		app: "app_1",
		operator: false,
		signal: new AbortController().signal,
	} as Asked;
	return { asked, calls };
}

const entry = (actor: string, target: string | null, changes: AuditEntry["changes"] = null): AuditEntry => ({
	id: `aud_${actor}_${target}`,
	object: "audit_entry",
	actor,
	event: "plan.changed",
	target,
	changes,
	request_id: null,
	created_at: new Date(NOW_MS).toISOString(),
});

test("people, keys and Apps are named where the service tells, and by their ids elsewhere; lists that nothing needs are not asked for [tui.names]", async () => {
	const { asked, calls } = asking();
	const entries = [entry("acc_1", "app_1"), entry("acc_2", "pln_1"), entry("key_1", null), entry("sweep", "acc_9")];
	const named = await namedEntries(asked, entries);
	expect(named.map(({ actor_name, target_name }) => [actor_name, target_name])).toEqual([
		["me@example.com", "Shop"],
		["editor@example.com", undefined],
		["key Backend", undefined],
		[undefined, undefined],
	]);
	expect(calls.toSorted()).toEqual(["apps", "apps/app_1/keys", "apps/app_1/members", "apps/app_1/plans", "me"]);
	await namedEntries(asked, entries);
	expect(calls).toHaveLength(5);
});

test("the audit says who in words, also at 80 columns, with the id beside it in its detail, and cuts no label [tui.audit.words]", async () => {
	const changes = { display_order: 2, description: "Everything" };
	const [shown] = await namedEntries(asking().asked, [entry("acc_2", "app_1", changes)]);
	const screen: ScreenName = "audit";
	const list = queueOf(shown === undefined ? [] : [shown], { screen, columns: 80 });
	const textOf = (state: typeof list) => rowsOf(state);
	expect(textOf(list).join("\n")).toMatch(/plan\.changed +Shop +editor@example\.com/);
	const long = {
		...entry("acc_2", "img_0123456789abcdefghijkl"),
		event: "subscription.price_changed",
		actor_name: "second.operator@example.com",
	};
	const shared = textOf(queueOf([long], { screen, columns: 80 })).join("\n");
	expect(shared).toMatch(/img_0123456789a\w*… second\.operato\S*…/);
	const detail = textOf(play(list, { type: "key", name: "tab", ctrl: false }).state).join("\n");
	expect(detail).toContain("editor@example.com (acc_2)");
	expect(detail).toMatch(/display_order +2/);
});

test("of a reported image the App is named, with its id beside it in the detail [tui.moderation.app]", () => {
	const item = { ...sampleItem("img_1"), app_name: "Sunday Hikers" };
	const lines = rowsOf(queueOf([item], { columns: 220 })).join("\n");
	expect(lines).toMatch(/Sunday Hikers \(app_1\)/);
	expect(lines.match(/Sunday Hikers/g)).toHaveLength(2);
});
