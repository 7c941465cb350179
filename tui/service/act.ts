import { ageText } from "@svc/nouns/words";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { ModerationItem } from "@svc/sdk/shapes";
import type { Clients } from "../options.ts";
import type { Action, Target } from "../state/acts/action.ts";
import { idsOf } from "../state/acts/changes.ts";
import type { Thing } from "../state/things.ts";
import { type FormAction, isOfForm, sendForm } from "./act-forms.ts";
import { type ActionResult, apart, NOTHING } from "./action-result.ts";

type Moderate = Extract<Action, { kind: "moderate" }>;

const AT_ONCE = 4;

export function messageOf(error: unknown): string {
	if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
	const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`;
	// What stands between this program and the service may answer with something else than lists.
	const details = Object.entries(error.details ?? {}).map(([place, why]) => `${place} ${[why].flat().join(", ")}`);
	return `${details.length > 0 ? `${details.join("; ")}.` : error.message}${request}`;
}

/** Performs the action; an item that fails is in the result, not thrown. */
export async function perform(clients: Clients, act: Action, idempotencyKey?: string): Promise<ActionResult> {
	try {
		return await send(clients, act, idempotencyKey);
	} catch (error) {
		const message = messageOf(error);
		const details = error instanceof ApiError ? error.details : undefined;
		return { ...NOTHING, failures: idsOf(act).map((id) => ({ id, message, ...(details && { details }) })) };
	}
}

function send(clients: Clients, act: Action, idempotencyKey: string | undefined): Promise<ActionResult> {
	if (isOfForm(act)) return sendForm(clients, act, { idempotencyKey });
	if (act.kind !== "moderate") return changed(clients, act, idempotencyKey);
	const { management } = clients;
	const inOneCall = act.targets.length > 1 && !act.isUndo;
	return inOneCall ? batch(management, act) : revisedAll(management, act);
}

async function changed(
	clients: Clients,
	act: Exclude<Action, Moderate | FormAction>,
	idempotencyKey?: string,
): Promise<ActionResult> {
	const { management } = clients;
	const one = (thing: Thing): ActionResult => ({ ...NOTHING, things: [thing] });
	switch (act.kind) {
		case "app":
			return one(await changedApp(management, act));
		case "key":
			return await changedKey(management, act);
		case "user":
			await management.apps.of(act.app).users.disconnect(act.id);
			return { ...NOTHING, gone: [act.id] };
		case "plan":
			return one(await management.apps.of(act.app).plans.archive(act.id));
		case "new-preset":
			return one(await management.apps.of(act.app).presets.create(act.name, act.parameters, { idempotencyKey }));
		case "preset": {
			const { presets } = management.apps.of(act.app);
			if (act.verb === "edit") return one(await presets.edit(act.id, { name: act.name, parameters: act.parameters }));
			await presets.delete(act.id);
			return { ...NOTHING, gone: [act.id] };
		}
		case "new-signing-key":
			return apart(await management.apps.of(act.app).signingKeys.create(act.name));
		case "signing-key":
			await management.apps.of(act.app).signingKeys.delete(act.id);
			return { ...NOTHING, gone: [act.id] };
		case "webhook":
			return await changedWebhook(management, act);
		case "new-webhook":
			return apart(await management.apps.of(act.app).webhooks.create({ url: act.name }));
		case "recover":
			await management.apps.of(act.app).webhooks.recover(act.id, act.since);
			return NOTHING;
		case "delivery":
			return one(await management.apps.of(act.app).webhooks.deliveries(act.endpoint).redeliver(act.id));
		case "tickets": {
			const { tickets } = clients.clientOf(act.app);
			return await eachOf(act.ids, (id) => tickets.cancel(id));
		}
		case "images":
			return await changedImages(clients.clientOf(act.app), act);
		case "trash": {
			const { restored } = await management.operator.trash.restore(act.ids);
			const absent = act.ids.filter((id) => !restored.includes(id));
			return {
				...NOTHING,
				gone: restored,
				failures: absent.map((id) => ({ id, message: `${id} is not there any more.` })),
			};
		}
	}
}

function changedApp({ apps, operator }: Management, act: Extract<Action, { kind: "app" }>) {
	if (act.verb === "block") return operator.apps.block(act.id, act.reason);
	return act.verb === "unblock" ? operator.apps.unblock(act.id) : apps[act.verb](act.id);
}

async function changedImages(
	{ images }: Client,
	{ verb, user: owner, ids }: Extract<Action, { kind: "images" }>,
): Promise<ActionResult> {
	const user = owner ?? null;
	if (verb === "restore") return await eachOf(ids, (id) => images.restore(id, { user }));
	const { data, errors } = await images.deleteMany(ids, { user });
	return {
		...NOTHING,
		gone: data.map(({ id }) => id),
		failures: errors.map(({ id, error }) => ({ id, message: error.message })),
	};
}

async function changedKey(
	{ apps }: Management,
	{ verb, app, id }: Extract<Action, { kind: "key" }>,
): Promise<ActionResult> {
	const { keys } = apps.of(app);
	if (verb === "rotate") {
		const made = apart(await keys.rotate(id));
		// The new key exists, whether or not the old one can be read once more.
		const old = await keys.get(id).catch(() => undefined);
		return old === undefined ? made : { ...made, things: [...made.things, old] };
	}
	await keys.delete(id);
	return { ...NOTHING, things: [await keys.get(id)] };
}

async function changedWebhook(
	{ apps }: Management,
	{ verb, app, id }: Extract<Action, { kind: "webhook" }>,
): Promise<ActionResult> {
	const { webhooks } = apps.of(app);
	switch (verb) {
		case "test":
			return { ...NOTHING, things: [await webhooks.test(id)] };
		case "rotate":
			return apart(await webhooks.rotate(id));
		case "remove":
			await webhooks.delete(id);
			return { ...NOTHING, gone: [id] };
		case "enable":
		case "disable":
			return { ...NOTHING, things: [await webhooks.edit(id, { state: `${verb}d` })] };
	}
}

async function batch({ moderation }: Management, { verb, targets }: Moderate): Promise<ActionResult> {
	const ids = targets.map(({ id }) => id);
	const { data, errors } = await moderation.batch(ids, verb, { reason: targets[0]?.reason });
	return {
		things: data.filter((one): one is ModerationItem => one.object === "moderation_item"),
		gone: [],
		failures: errors.map(({ id, error }) => ({ id, message: error.message })),
	};
}

/** Calls one by one: a batch takes no revisions. */
async function revisedAll(management: Management, act: Moderate): Promise<ActionResult> {
	return joined(await fewAtOnce(act.targets, (target) => revised(management, act, target)));
}

/** One call for each; what one refuses is that one's failure. */
async function eachOf(ids: readonly string[], call: (id: string) => Promise<Thing>): Promise<ActionResult> {
	const one = async (id: string): Promise<ActionResult> => {
		try {
			return { ...NOTHING, things: [await call(id)] };
		} catch (error) {
			return { ...NOTHING, failures: [{ id, message: messageOf(error) }] };
		}
	};
	return joined(await fewAtOnce(ids, one));
}

async function fewAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<ActionResult>) {
	const outcomes: ActionResult[] = [];
	for (let at = 0; at < items.length; at += AT_ONCE) {
		outcomes.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
	}
	return outcomes;
}

async function revised(management: Management, act: Moderate, target: Target): Promise<ActionResult> {
	try {
		return { ...NOTHING, things: [await moderateOne(management, act, target)] };
	} catch (error) {
		const { id } = target;
		const failed: ActionResult = { ...NOTHING, failures: [{ id, message: messageOf(error) }] };
		if (!(error instanceof ApiError) || error.status !== 409) return failed;
		return await conflict(management, id).catch(() => failed);
	}
}

function moderateOne({ moderation }: Management, { verb, isUndo }: Moderate, target: Target): Promise<ModerationItem> {
	const { id, revision, reason } = target;
	switch (verb) {
		case "block":
			if (reason === undefined)
				throw new Error(`It is not known what ${id} was blocked for; b blocks it for a reason.`);
			return moderation.block(id, { revision, reason });
		case "lock":
			return moderation.lock(id, { revision });
		case "unlock":
		case "unblock":
			// What is taken back was no decision: what it settled is in the queue again.
			return moderation[verb](id, { revision, ...(isUndo && { reopen_reports: true }) });
		case "nsfw":
		case "not_nsfw":
			return moderation.setNsfw(id, verb === "nsfw", { revision });
		case "delete":
			throw new TypeError("A deletion has no revision.");
	}
}

/** A conflict shows who changed the image first, and its state now. */
async function conflict({ moderation }: Management, id: string): Promise<ActionResult> {
	const item = await moderation.get(id);
	const [last] = item.actions;
	const who = last === undefined ? "Somebody" : `${last.actor_email ?? last.actor} (${last.action})`;
	const when = last === undefined ? "" : ` ${ageText(last.created_at, Date.now())}`;
	const message = `${who} changed ${item.image.filename}${when}. It is shown as it is now; decide again.`;
	return { ...NOTHING, things: [item], failures: [{ id, message }] };
}

function joined(outcomes: readonly ActionResult[]): ActionResult {
	return {
		things: outcomes.flatMap(({ things }) => things),
		gone: outcomes.flatMap(({ gone }) => gone),
		failures: outcomes.flatMap(({ failures }) => failures),
	};
}
