import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { BlobHealth, MonthUsage, ServiceHealth, ServiceUsage, Usage } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { messageOf, perform } from "./act.ts";
import type { AppInView, Effect, Event, Gauge, ScreenName, Thing } from "./state/model.ts";

export interface EffectContext {
	readonly management: Management;
	/** The App to begin with, if any. */
	readonly app: string | undefined;
	dispatch(event: Event): void;
	copy(text: string): void;
	/** Opens an address in a browser. */
	open(url: string): void;
	quit(exit: 0 | 130): void;
	readonly signal: AbortSignal;
}

/** Does what the state asks for. The promise resolves when it is done, for callers that wait. */
export async function run(effect: Effect, context: EffectContext): Promise<void> {
	const { management, signal, dispatch } = context;
	switch (effect.type) {
		case "meet":
			return answer(context, effect, () => meet(context));
		case "load": {
			const { screen, seq } = effect;
			const load = async (): Promise<Event> => {
				return { type: "page", screen, seq, ...(await loadPage({ ...effect, management, signal })) };
			};
			return answer(context, effect, load);
		}
		case "wait":
			setTimeout(() => dispatch({ type: "slow", screen: effect.screen, seq: effect.seq }), effect.milliseconds).unref();
			return;
		case "act":
			return dispatch({ type: "acted", seq: effect.seq, ...(await perform(management, effect.act)) });
		case "copy":
			return context.copy(effect.text);
		case "open":
			return context.open(effect.url);
		case "quit":
			return context.quit(effect.exit);
	}
}

async function meet(context: EffectContext): Promise<Event> {
	const { email, operator } = await context.management.me.get({ signal: context.signal });
	return { type: "met", person: { email, operator }, app: await findApp(context, operator) };
}

async function findApp({ management, app, signal }: EffectContext, operator: boolean): Promise<AppInView | undefined> {
	if (app === undefined) {
		const [first] = (await management.apps.list({ limit: 1, signal })).data;
		return first && { id: first.id, name: first.name, role: first.role };
	}
	try {
		const { id, name, role } = await management.apps.get(app, { signal });
		return { id, name, role };
	} catch (error) {
		// An operator need not belong to an App's team.
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		const known = operator ? await management.operator.apps.get(app, { signal }).catch(() => undefined) : undefined;
		if (known === undefined) throw new NotNow(`There is no App ${app} that you may see. Name another one with --app.`);
		return { id: known.id, name: known.name, role: undefined };
	}
}

/** Runs a function that may fail, and shows the failure in the list that it is about. */
async function answer(
	context: EffectContext,
	{ screen, seq }: Extract<Effect, { screen: string }>,
	ask: () => Promise<Event>,
) {
	const event = await ask().catch((error: unknown): Event => {
		return { type: "refused", screen, seq, message: refusalText(error) };
	});
	if (!context.signal.aborted) context.dispatch(event);
}

function refusalText(error: unknown): string {
	if (error instanceof NotNow) return error.message;
	if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
		return `${messageOf(error)} The dashboard needs a person's token: svc login`;
	}
	return messageOf(error);
}

type Load = Extract<Effect, { type: "load" }>;

interface Page {
	readonly things: readonly Thing[];
	readonly nextCursor: string | undefined;
}

/** A step that the person has to take first, in words. */
class NotNow extends Error {
	override readonly name = "NotNow";
}

interface Asked extends Load {
	readonly management: Management;
	readonly signal: AbortSignal;
}

const PAGE = 100;
const MONTHS = 12;

const LOADERS: Record<ScreenName, (asked: Asked) => Promise<Page>> = {
	moderation: async (asked) =>
		pageOf(await asked.management.moderation.list({ ...optionsOf(asked), state: asked.queue })),
	apps: async (asked) => {
		const { management, operator } = asked;
		return pageOf(await (operator ? management.operator.apps : management.apps).list(optionsOf(asked)));
	},
	keys: async (asked) => pageOf(await appOf(asked).keys.list(optionsOf(asked))),
	users: async (asked) => pageOf(await appOf(asked).users.list(optionsOf(asked))),
	plans: async (asked) => pageOf(await appOf(asked).plans.list(optionsOf(asked))),
	usage: loadUsage,
	audit: async (asked) => {
		const { management, operator } = asked;
		return pageOf(await (operator ? management.operator.audit : appOf(asked).audit).list(optionsOf(asked)));
	},
	trash: async (asked) => {
		if (!asked.operator) throw new NotNow("Only operators see what the service has stored and does not know.");
		return pageOf(await asked.management.operator.trash.list(optionsOf(asked)));
	},
};

/** The last twelve, oldest first; the service says nothing of those without an upload. */
export function everyMonth(known: readonly MonthUsage[], nowMs: number): MonthUsage[] {
	const now = new Date(nowMs);
	return Array.from({ length: MONTHS }, (_, index): MonthUsage => {
		const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS - 1 - index));
		const month = new Date(start).toISOString().slice(0, "2026-01".length);
		return known.find((one) => one.month === month) ?? { object: "month_usage", month, uploads: 0 };
	});
}

function loadPage(asked: Asked): Promise<Page> {
	return LOADERS[asked.screen](asked);
}

function pageOf(list: List<Thing>): Page {
	return { things: list.data, nextCursor: list.pagination.next_cursor ?? undefined };
}

function optionsOf({ cursor, signal }: Asked) {
	return { limit: PAGE, signal, cursor };
}

/** @throws NotNow */
function appOf({ management, app }: Asked) {
	if (app === undefined) throw new NotNow("No App is chosen. Press 2 for the Apps, and Enter on one of them.");
	return management.apps.of(app);
}

async function loadUsage(asked: Asked): Promise<Page> {
	const { management, signal, operator, app } = asked;
	const ofApp = async () => {
		if (app === undefined) return [];
		const { usage } = appOf(asked);
		const [total, months] = await Promise.all([usage.total({ signal }), usage.byMonth.list({ limit: MONTHS, signal })]);
		return appGauges(total, everyMonth(months.data, Date.now()));
	};
	const ofService = async () => {
		if (!operator) return [];
		const [totals, { blobs, mail, billing }] = await Promise.all([
			management.operator.usage({ signal }),
			management.operator.health({ signal }),
		]);
		return [...serviceGauges(totals), ...damageGauges(blobs), ...mailGauges(mail), ...billingGauges(billing)];
	};
	if (app === undefined && !operator) appOf(asked);
	const parts = await Promise.all([ofApp(), ofService()]);
	return { things: parts.flat(), nextCursor: undefined };
}

function appGauges({ monthly, totals, limits }: Usage, months: readonly MonthUsage[]): Gauge[] {
	const { images_stored, storage_limit_bytes, storage_used_bytes } = totals;
	const images = limits?.images;
	const users = limits?.users;
	return [
		gauge("uploads", "Uploads this month", monthly.uploads, monthly.uploads_limit, { months }),
		gauge("images", "Images", images?.used ?? images_stored, images?.limit ?? null),
		gauge("bytes", "Storage", storage_used_bytes, storage_limit_bytes, { unit: "bytes" }),
		...(users === undefined ? [] : [gauge("users", "Connected users", users.used ?? 0, users.limit)]),
	];
}

function gauge(id: string, label: string, used: number, limit: number | null = null, more: Partial<Gauge> = {}): Gauge {
	return { id, object: "gauge", label, used, limit, unit: "count", months: [], ...more };
}

function serviceGauges({ apps, accounts, images, moderation, users }: ServiceUsage): Gauge[] {
	return [
		gauge("all-apps", "Service: Apps", apps.total),
		gauge("all-accounts", "Service: accounts", accounts.total),
		gauge("all-users", "Service: connections", users),
		gauge("all-images", "Service: images", images.stored),
		gauge("all-bytes", "Service: storage", images.bytes, null, { unit: "bytes" }),
		gauge("all-uploads", "Service: uploads this month", images.uploads_this_month),
		gauge("all-reports", "Service: open reports", moderation.open_reports),
		gauge("all-blocked", "Service: blocked images", moderation.blocked),
	];
}

/** Nothing while payments reach the service, and of an older one, which tells nothing of them. */
function billingGauges(billing: ServiceHealth["billing"] | undefined): Gauge[] {
	if (billing?.state !== "failing") return [];
	const waiting = billing.deliveries_waiting + billing.withdrawals_waiting;
	return [gauge("all-billing", "Service: billing is failing; waiting", waiting, null, { wrong: true })];
}

/** An older service tells nothing of its mail. */
function mailGauges(mail: ServiceHealth["mail"] | undefined): Gauge[] {
	if (mail === undefined) return [];
	const waiting = Object.values(mail.waiting).reduce((sum, count) => sum + count, 0);
	const failing = mail.state === "failing";
	const label = failing ? "Service: mail is failing; waiting" : "Service: mails waiting";
	return [gauge("all-mails", label, waiting, null, { wrong: failing })];
}

function damageGauges({ damaged, missing }: BlobHealth): Gauge[] {
	return [
		gauge("all-damaged", "Service: damaged images", damaged, null, { wrong: damaged > 0 }),
		gauge("all-missing", "Service: images without bytes", missing, null, { wrong: missing > 0 }),
	];
}
