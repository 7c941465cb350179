import type { PostOptions } from "@svc/sdk/wire/request";
import type { Clients } from "../options.ts";
import type { Action } from "../state/acts/action.ts";
import type { Thing } from "../state/things.ts";
import { type ActionResult, apart, NOTHING } from "./action-result.ts";

/* What forms send. */

const KINDS = [
	"new-app",
	"app-settings",
	"app-terms",
	"app-removal",
	"new-key",
	"grant",
	"new-plan",
	"plan-words",
	"price",
	"prices",
	"image",
	"subscription",
	"refund",
] as const satisfies readonly Action["kind"][];

export type FormAction = Extract<Action, { readonly kind: (typeof KINDS)[number] }>;

export function isOfForm(act: Action): act is FormAction {
	return KINDS.some((kind) => kind === act.kind);
}

const one = (thing: Thing): ActionResult => ({ ...NOTHING, things: [thing] });

/** What is made is made once under the same key. @throws ApiError, ConnectionError */
export async function sendForm(
	{ management: { apps, operator }, clientOf }: Clients,
	act: FormAction,
	once: PostOptions,
): Promise<ActionResult> {
	switch (act.kind) {
		case "new-app":
			return one(await apps.create(act.name, once));
		case "app-settings":
			return one(await apps.edit(act.id, act.changes));
		case "app-terms":
			return one(await operator.apps.edit(act.id, act.terms));
		case "app-removal":
			await apps.delete(act.id, act.name);
			return { ...NOTHING, gone: [act.id] };
		case "new-key":
			return keyMade(apart(await apps.of(act.app).keys.create({ name: act.name, ...act.key }, once)), act.name);
		case "grant":
			await apps.of(act.app).users.grant(act.id, act.grant);
			return one(await apps.of(act.app).users.get(act.id));
		case "new-plan":
			return one(await apps.of(act.app).plans.create({ name: act.name, ...act.plan }, once));
		case "plan-words":
			return one(await apps.of(act.app).plans.edit(act.id, act.changes));
		case "price":
			await apps.of(act.app).plans.createPrice(act.id, act.terms, once);
			return NOTHING;
		case "image":
			return one(await clientOf(act.app).images.edit(act.id, act.changes, { user: act.user ?? null }));
		case "subscription": {
			const { extend, cancel } = operator.subscriptions;
			return one(
				await (act.verb === "extend" ? extend(act.id, act.days, act.reason) : cancel(act.id, act.at, act.reason)),
			);
		}
		case "refund":
			await operator.subscriptions.refund(act.id, act.refund);
			return NOTHING;
		case "prices":
			for (const [id, onSale] of Object.entries(act.onSale)) {
				await apps.of(act.app).plans.setOnSale(act.id, id, onSale);
			}
			return NOTHING;
	}
}

/** The service keeps no secret: what it answers a second time has none. */
function keyMade(made: ActionResult, name: string): ActionResult {
	if (typeof made.secret === "string") return made;
	const message = `The key ${name} was made, and its secret got lost on the way: R makes a successor, x revokes it.`;
	return { ...made, secret: undefined, failures: [{ id: name, message }] };
}
