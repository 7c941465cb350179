import type { AppRecord } from "@svc/apps/app-record";
import { getMembership } from "@svc/apps/team/team";
import { Conflict } from "@svc/base/conflicts";
import type { OwnPlanKey } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { type AppChoice, checkoutAppPlan, getAppBilling, previewAppPlan } from "@svc/billing/payers/app-billing";
import { planNameOf, termsOf } from "@svc/billing/plans/bought";
import type { ProcessorPreview } from "@svc/billing/ports";
import type { Subscription } from "@svc/billing/subscription";
import { isUnsold } from "@svc/billing/subscriptions/unsold";
import { ChangeCost, payWords } from "@svc/pages/billing/billing-change.tsx";
import { changeTerms, obstacleTo as obstacleOf } from "@svc/pages/billing/billing-parts.tsx";
import { nothingYet } from "@svc/pages/billing/plan-card.tsx";
import { type FormFields, formToken, readForm, requireToken } from "@svc/pages/kit/form";
import { Alert, Notice, PostForm } from "@svc/pages/kit/parts.tsx";
import { conflictText, isProcessorAway, processorAway } from "@svc/pages/kit/refusals";
import type { PagesRooms } from "@svc/pages/kit/rooms";
import type { Message } from "@svc/pages/kit/text";
import { type Page, PageRefusal, type PageResult, type Route, redirect, show, type Visit } from "@svc/pages/kit/visit";
import { askEmail } from "@svc/pages/people/account/account-sign-in";
import { findSignedIn } from "@svc/pages/people/signed-in";
import { TIERS, type TierTerm } from "../../until-4.4/tiers.ts";
import { t } from "../messages.ts";
import { appPlanPath } from "../own-cards.ts";
import { type PaidTier, termOf } from "../tier-plans.ts";
import { TierChoices } from "./tier-offers.tsx";

/* Where the Owner of an App buys a tier for the App's own storage, and changes it. What is paid for is ended under /account/plans. */

export function appPlanRoutes(rooms: PagesRooms): readonly Route[] {
	const path = appPlanPath({ id: ":app" });
	return [
		{ path, get: (visit) => asOwner(rooms, visit, showChoices) },
		{ path: `${path}/choose`, get: backToPage, post: (visit) => choose(rooms, visit) },
	];
}

/** The address that a person is at after a refusal, and that a reload asks for. */
async function backToPage({ params }: Visit): Promise<PageResult> {
	return redirect(appPlanPath({ id: params.app ?? "" }));
}

type Person = NonNullable<Awaited<ReturnType<typeof findSignedIn>>>;

interface OwnerCall {
	readonly rooms: PagesRooms;
	readonly visit: Visit;
	readonly person: Person;
	readonly app: AppRecord;
	/** A token for the forms on the page. */
	readonly token: string;
}

/** Others than its Owner are told that there is nothing for them, people outside of its team nothing at all. */
async function asOwner(
	rooms: PagesRooms,
	visit: Visit,
	run: (call: OwnerCall) => Promise<PageResult>,
): Promise<PageResult> {
	const person = await findSignedIn(rooms, visit);
	if (!person) {
		const to = appPlanPath({ id: visit.params.app ?? "" });
		const url = new URL(`/account/sign-in?${new URLSearchParams({ to })}`, visit.url);
		return await askEmail(rooms, { ...visit, url }, "");
	}
	const { app, role } = await getMembership(rooms.apps, person, visit.params.app ?? "");
	if (role !== "owner") throw new PageRefusal(403, t("app.owner_only"), t("app.owner_only.text"));
	const token = await formToken(visit.cookies.read("session") ?? "");
	return await run({ rooms, visit, person, app, token });
}

async function showChoices(call: OwnerCall): Promise<Page> {
	return await choicesPage(call);
}

async function choicesPage(call: OwnerCall, fault?: Message, status = 200): Promise<Page> {
	const { rooms, app, token, person } = call;
	const { subscription } = await getAppBilling(rooms.billing, app);
	const plans = await soldTiers(rooms);
	const name = <bdi>{app.name}</bdi>;
	const obstacle = subscription ? obstacleTo(call, subscription) : undefined;
	const sells = rooms.billing.processor.takesPayments;
	const body = (
		<>
			<div className="stack">
				<h1>{t("app.title", { app: name })}</h1>
				<p className="soft">{t("app.signed_in", { email: <bdi>{person.account.email}</bdi> })}</p>
				<p>{t("app.lead")}</p>
			</div>
			{fault && <Alert answers>{fault}</Alert>}
			<Present call={call} subscription={subscription} />
			{!sells && <Notice>{t("sells_none")}</Notice>}
			{obstacle && <Notice>{obstacle}</Notice>}
			{sells && !obstacle && (
				<section className="card" aria-labelledby="plans">
					<h2 id="plans">{t(subscription ? "change" : "choose")}</h2>
					<PostForm action={`${appPlanPath(app)}/choose`} token={token}>
						<TierChoices
							plans={plans}
							plan={subscription ? keyOf(subscription) : undefined}
							term={subscription ? termOf(termsOf(subscription.bought)) : "monthly"}
							current={subscription ? keyOf(subscription) : undefined}
						/>
						<div className="actions">
							<button className="primary" type="submit">
								{t(subscription ? "switch" : "pay")}
							</button>
						</div>
						<p className="fine">{subscription ? changeTerms(subscription) : nothingYet()}</p>
					</PostForm>
				</section>
			)}
		</>
	);
	return show(t("app.title", { app: app.name }), body, { wide: true, status });
}

/** Why the plan cannot be changed; what is not sold here cannot be kept either. */
function obstacleTo({ rooms }: OwnerCall, subscription: Subscription): Message | undefined {
	if (isUnsold(rooms.billing, subscription)) return conflictText(new Conflict("not_sold"));
	return obstacleOf(subscription);
}

/** Undefined for what is no tier any more. */
function keyOf({ bought }: Subscription): string | undefined {
	return bought.subject === "user" ? bought.planKey : undefined;
}

async function soldTiers(rooms: PagesRooms) {
	const own = await rooms.apps.ownApp.find();
	if (!own) return [];
	return await rooms.billing.plans.listOnSale(own.app.pk, { limit: Object.keys(TIERS).length, afterPk: undefined });
}

function Present({ call, subscription }: { readonly call: OwnerCall; readonly subscription: Subscription | null }) {
	const { app } = call;
	const plan = subscription ? planNameOf(subscription.bought) : TIERS[app.tier].name;
	return (
		<div className="card">
			<p>{t("app.now", { app: <bdi>{app.name}</bdi>, plan: <strong>{plan}</strong> })}</p>
			{subscription && (
				<p>
					<a className="button quiet" href={`/account/plans/${subscription.id}`}>
						{t("app.manage")}
					</a>
				</p>
			)}
		</div>
	);
}

async function choose(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	return await asOwner(rooms, visit, async (call) => {
		await requireToken(form, visit.cookies.read("session"), appPlanPath(call.app));
		return await buy(call, form).catch((cause: unknown) => explain(call, cause));
	});
}

/** What the present state refuses is said on the page itself. */
async function explain(call: OwnerCall, cause: unknown): Promise<Page> {
	if (isProcessorAway(cause)) throw processorAway(cause);
	const status = cause instanceof Failure && REFUSED[cause.code];
	if (!status) throw cause;
	return await choicesPage(call, conflictText(cause), status);
}

const REFUSED: Readonly<Partial<Record<Failure["code"], number>>> = { state_conflict: 409, validation_error: 422 };

async function buy(call: OwnerCall, form: FormFields): Promise<PageResult> {
	const { rooms, app, person, visit } = call;
	const { billing } = rooms;
	const choice = choiceOf(form);
	const nowMs = billing.clock.now();
	const by = { actor: person.account.id, requestId: visit.requestId, nowMs };
	const { subscription } = await getAppBilling(billing, app);
	const at = subscription ? await shownOrAsk(call, subscription, choice, form) : nowMs;
	if (typeof at !== "number") return at;
	const { url } = await checkoutAppPlan(billing, app, choice, { person, by, atMs: at });
	const after = subscription ? `/account/plans/${subscription.id}` : appPlanPath(app);
	return redirect(url ?? after);
}

function choiceOf(form: FormFields): AppChoice {
	// What is no tier is refused as one that is not sold.
	return {
		plan: (form.get("plan") ?? "free") as OwnPlanKey,
		interval: form.get("interval") === "annual" ? "year" : "month",
	};
}

/** How long a change may cost what was shown. */
const SHOWN_MS = 15 * 60_000;

/** The time from which a change is counted, so that it costs what was shown; or the page that shows what it costs. */
async function shownOrAsk(
	call: OwnerCall,
	live: Subscription,
	choice: AppChoice,
	form: FormFields,
): Promise<number | Page> {
	const { billing } = call.rooms;
	const nowMs = billing.clock.now();
	const [amount, at] = (form.get("shown") ?? "").split("@").map(Number);
	const fresh = at !== undefined && at <= nowMs && nowMs - at <= SHOWN_MS;
	const { preview } = await previewAppPlan(billing, live, choice, fresh ? at : nowMs);
	if (!preview) return nowMs;
	if (fresh && preview.amountNow === amount) return at;
	const { preview: now } = await previewAppPlan(billing, live, choice, nowMs);
	return askPage(call, choice, now ?? preview, { nowMs, again: form.has("shown") });
}

async function askPage(
	{ rooms, app, token }: OwnerCall,
	{ plan, interval }: AppChoice,
	preview: ProcessorPreview,
	{ nowMs, again }: { readonly nowMs: number; readonly again: boolean },
): Promise<Page> {
	const term: TierTerm = termOf({ interval });
	const sold = (await soldTiers(rooms)).find(({ key }) => key === plan);
	const price = sold?.prices.find((one) => one.interval === interval);
	const name = TIERS[plan as PaidTier].name;
	const body = (
		<div className="card">
			<h1>{t("app.title", { app: <bdi>{app.name}</bdi> })}</h1>
			{again && <Alert answers>{t("app.again")}</Alert>}
			<p>{t("app.cost", { plan: <strong>{name}</strong> })}</p>
			{price && <ChangeCost preview={preview} price={price} taxBehavior={null} />}
			<PostForm
				action={`${appPlanPath(app)}/choose`}
				token={token}
				fields={{ plan, interval: term, shown: `${preview.amountNow}@${nowMs}` }}
			>
				<div className="actions">
					<button className="primary" type="submit">
						{payWords(preview)}
					</button>
					<a className="button quiet" href={appPlanPath(app)}>
						{t("app.keep")}
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(t("app.title", { app: app.name }), body, { status: again ? 409 : 200 });
}
