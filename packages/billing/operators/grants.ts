import type { App } from "@svc/apps/access";
import { authorityOf, conflict, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { found, invalid } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import { newMail } from "@svc/mail/mail";
import { stale } from "@svc/people/people";
import { attempt } from "../patience.ts";
import type { PlanGrant, SoldPlan } from "../plans/plan.ts";
import type { Billing } from "../room.ts";
import type { Granter } from "./grants-store.ts";

/*
 * A plan that an App's Owner, or an operator, gives a user for nothing. It has no subscription and no price; what somebody pays for goes before
 * it. An archived plan cannot be given any more; whoever has it keeps it until the grant ends, like its subscribers (decision 0061).
 */

/** Who gives: the App's Owner, or an operator. */
export interface Giving {
	readonly app: App;
	readonly owner: TeamMember | null;
	readonly by: Actor;
}

interface Wish {
	readonly planKey: string;
	readonly untilMs: number;
	readonly reason: string;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 365;
/** The moment that a year from now is differs by how long a request takes. */
const SLACK_MS = 60_000;

/**
 * Gives a user a plan, in the place of what they were given before; the same again changes nothing.
 * @throws Failure validation_error under `plan_key` and `until`; state_conflict for a user who is not connected; not_found; forbidden
 */
export async function giveGrant(room: Billing, giving: Giving, userId: string, wish: Wish): Promise<PlanGrant> {
	const { app, by } = giving;
	const payer = await getReceiver(room, app, userId);
	const plan = await room.plans.findByKey(app.pk, wish.planKey);
	if (!plan || plan.archivedMs !== null) throw invalid("plan_key", "is no plan of this App that is not archived");
	refuseUntil(wish.untilMs, by.nowMs);
	const known = await room.grants.find(payer.connectionPk, app.pk, by.nowMs);
	if (known && isSame(known, wish)) return known;
	const id = newId("grt");
	const grant = { id, appPk: app.pk, connectionPk: payer.connectionPk, plan, userId, ...wish };
	const mail = grantMail(room, { id, email: payer.email, app, plan, deed: "given", ...wish });
	await refuse(room, giving, await room.grants.give(grant, mail, granterOf(giving)));
	return found(await room.grants.find(payer.connectionPk, app.pk, by.nowMs));
}

function isSame(known: PlanGrant, { planKey, untilMs, reason }: Wish): boolean {
	return known.plan.key === planKey && known.untilMs === untilMs && known.reason === reason;
}

/** Takes back what a user was given. @throws Failure not_found for one who was given nothing; forbidden */
export async function endGrant(room: Billing, giving: Giving, userId: string): Promise<PlanGrant> {
	const { app, by } = giving;
	const payer = await getReceiver(room, app, userId);
	const grant = found(await room.grants.find(payer.connectionPk, app.pk, by.nowMs));
	const refused = await room.grants.end(grant, endedMail(room, grant), granterOf(giving));
	if (refused !== "over") await refuse(room, giving, refused);
	return { ...grant, endedMs: by.nowMs };
}

/** Ends what is over; who has left, and whose App is deleted, gets no mail about it. */
export async function endGrants(room: Billing): Promise<void> {
	const nowMs = room.clock.now();
	const by = { actor: "billing", requestId: null, nowMs };
	for (const grant of await room.grants.listOver(nowMs, AT_ONCE)) {
		const mail = grant.connected ? endedMail(room, grant) : undefined;
		await attempt(room, () => room.grants.end(grant, mail, { authority: null, by }));
	}
}

const AT_ONCE = 100;

function refuseUntil(untilMs: number, nowMs: number): void {
	if (untilMs <= nowMs) throw invalid("until", "must be in the future");
	if (untilMs > nowMs + DAYS_MAX * DAY_MS + SLACK_MS) throw invalid("until", `must be within ${DAYS_MAX} days`);
}

async function getReceiver(room: Billing, app: App, userId: string) {
	const connection = found(await room.connect.users.findConnection({ appPk: app.pk, userId }));
	if (connection.state !== "connected") throw conflict("This user is not connected any more.");
	const payer = found(await room.payers.findByConnection(connection.pk));
	return { connectionPk: connection.pk, email: payer.email };
}

function granterOf({ owner, by }: Giving): Granter {
	return { authority: owner && authorityOf(owner, "owner"), by };
}

async function refuse(
	room: Billing,
	{ owner }: Giving,
	refused: Awaited<ReturnType<Billing["grants"]["give"]>>,
): Promise<void> {
	if (refused === "demoted" && owner) await refuseDemoted(room.apps, owner);
	if (refused === "stale") throw stale();
	if (refused === "plan_gone") throw conflict("This plan has just been archived.");
	if (refused === "user_gone") throw conflict("This user has just left.");
}

function endedMail(room: Billing, { id, email, app, plan, untilMs, reason }: PlanGrant) {
	return grantMail(room, { id, email, app, plan, deed: "ended", untilMs, reason });
}

interface MailedGrant extends Pick<PlanGrant, "id" | "email" | "untilMs" | "reason"> {
	readonly app: { readonly name: string };
	readonly plan: Pick<SoldPlan, "name">;
	readonly deed: "given" | "ended";
}

function grantMail({ addresses }: Billing, { id, email, app, plan, deed, untilMs, reason }: MailedGrant) {
	const facts = {
		app: app.name,
		plan: plan.name,
		page: `${addresses.web}/account/plans`,
		until: new Date(untilMs).toISOString(),
		deed,
		reason,
	};
	return newMail("plan_granted", email, facts, `plan_granted ${deed} ${id}`);
}
