import type { Actor } from "@svc/base/actor";
import type { Role } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { newId, newTeamHash } from "@svc/base/ids";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import { type Job, newJob } from "@svc/jobs/jobs";
import { maskedEmail } from "@svc/people/address-changes";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { newLetter, originOf } from "@svc/people/letters/security-letters";
import { type Person, stale } from "@svc/people/people";
import type { App } from "./access.ts";
import { appKept } from "./app-events-store.ts";
import type { AppChanges, AppRecord, Membership, NewApp } from "./app-record.ts";
import { authorityOf, isAtLeast, refuseDemoted, type TeamMember } from "./authority.ts";
import { lookAtNewHost, readHosts, wantedHost } from "./image-host/image-host.ts";
import { appNameFault, foldName } from "./profile/app-names.ts";
import { checkProfile, noLogo } from "./profile/app-profile.ts";
import { checkReferrers } from "./profile/referrers.ts";
import type { Apps } from "./room.ts";
import type { Member } from "./team/members.ts";
import { toAppRecord } from "./team/memberships-store.ts";

/** The App of its event, as it was then. */
export function readAppEvent(kept: Kept): AppRecord {
	return toAppRecord(readSnapshot(appKept, kept));
}

export const APP_STATES = ["active", "paused", "blocked"] as const;
export type AppState = (typeof APP_STATES)[number];

/** A block by an operator overrides a pause by the team. */
export function stateOf(app: App): AppState {
	if (app.blocked) return "blocked";
	return app.paused ? "paused" : "active";
}

/** How many Apps one person may own. */
const OWNED_MAX = 100;

/** @throws Failure validation_error under `name`; forbidden for a token that is bound to one App */
export async function createApp(room: Apps, person: Person, name: string, by: Actor): Promise<Membership> {
	requireUnbound(person);
	const shown = nameOf(room, name);
	const app = newApp(shown);
	const refused = await room.store.create(app, person.account.pk, OWNED_MAX, by);
	if (refused === "gone") throw new Failure("unauthorized");
	if (refused === "full") {
		throw invalid("name", `cannot be used: you own ${OWNED_MAX} Apps, which is as many as one person may`);
	}
	return await asItIs(room, app.id, person);
}

/** @throws Failure forbidden for a token that is bound to one App */
export function requireUnbound({ session }: Person): void {
	if (session.appPk === null) return;
	throw Failure.saying("forbidden", "This token is bound to one App and cannot make another.");
}

/** Makes an App's row with new ids. */
export function newApp(name: string): NewApp {
	return { id: newId("app"), name, nameFold: foldName(name), storageId: newId("sto"), teamHash: newTeamHash() };
}

function nameOf(room: Apps, sent: string): string {
	const name = sent.trim().normalize("NFC");
	const fault = appNameFault(name, room.name);
	if (fault !== undefined) throw invalid("name", fault);
	return name;
}

async function asItIs(room: Apps, appId: string, person: Person): Promise<Membership> {
	return found(await room.memberships.find(appId, person.account.pk));
}

interface SentChanges extends Omit<AppChanges, "name" | "imageHost"> {
	readonly imageHost?: string | null | undefined;
	readonly name?: string | undefined;
}

/**
 * Changes the fields that were sent, in a profile as well.
 * @throws Failure validation_error under `name`, `image_host` and the fields of a profile; forbidden for an Admin who changes the terms of sale or the image host
 */
export async function changeApp(
	room: Apps,
	teamMember: TeamMember,
	{ name, profile, referrers, imageHost, ...others }: SentChanges,
): Promise<Membership> {
	const { sale } = others;
	const needs = neededFor(teamMember, { sale, imageHost });
	const shown = name === undefined ? undefined : nameOf(room, name);
	const refused = await room.store.change(authorityOf(teamMember, needs), teamMember.app.id, {
		...others,
		name: shown === undefined ? undefined : { shown, folded: foldName(shown) },
		profile: profile && checkProfile(room, profile),
		referrers: referrers && checkReferrers(referrers),
		imageHost: imageHost === undefined ? undefined : await wantedHost(room, teamMember.app.id, imageHost),
	});
	if (refused === "logo") throw noLogo();
	if (refused) await refuseDemoted(room, teamMember);
	if (imageHost !== undefined) await lookAtNewHost(room, teamMember);
	return await asItIs(room, teamMember.app.id, teamMember.person);
}

/** @throws Failure forbidden for an Admin who changes what is the Owner's */
function neededFor({ role }: TeamMember, { sale, imageHost }: Pick<SentChanges, "sale" | "imageHost">): Role {
	if (sale === undefined && imageHost === undefined) return "admin";
	if (isAtLeast(role, "owner")) return "owner";
	const what = imageHost === undefined ? "tax and promotion_codes" : "image_host";
	throw Failure.saying("forbidden", `Only the Owner changes ${what}; you are ${role}.`);
}

/** Suspends the App's App-wide keys and its hosted sign-in; pausing a paused App changes nothing. */
export async function pauseApp(room: Apps, teamMember: TeamMember): Promise<Membership> {
	if (await room.store.pause(authorityOf(teamMember, "admin"), teamMember.app.id))
		await refuseDemoted(room, teamMember);
	return await asItIs(room, teamMember.app.id, teamMember.person);
}

/** Ends a pause; a block by an operator stays. */
export async function resumeApp(room: Apps, teamMember: TeamMember): Promise<Membership> {
	if (await room.store.resume(authorityOf(teamMember, "admin"), teamMember.app.id))
		await refuseDemoted(room, teamMember);
	return await asItIs(room, teamMember.app.id, teamMember.person);
}

/**
 * Makes another member the Owner; the old one becomes Admin.
 * @throws Failure validation_error under `member` for a member who cannot become the Owner; forbidden for a session that is not fresh
 */
export async function transferApp(room: Apps, teamMember: TeamMember, member: string): Promise<Membership> {
	const to = await room.members.find(teamMember.app.pk, member);
	if (!to) throw invalid("member", "must be the account id or the e-mail address of a member of this App");
	if (to.pk === teamMember.person.account.pk) throw invalid("member", "owns this App already");
	const letters = await transferLetters(room, teamMember, to);
	const refused = await room.store.transfer(
		authorityOf(teamMember, "owner"),
		teamMember.app.id,
		to,
		OWNED_MAX,
		letters,
	);
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "gone") throw invalid("member", "cannot become the Owner: they have left, or may not sign in");
	if (refused === "stale") throw stale();
	if (refused === "full") throw invalid("member", `owns ${OWNED_MAX} Apps, which is as many as one person may`);
	return await asItIs(room, teamMember.app.id, teamMember.person);
}

/** To both: each can take it back. */
async function transferLetters(room: Apps, { app, person, by }: TeamMember, to: Member): Promise<readonly NewLetter[]> {
	const moved = { from: person.account.id, to: to.accountId, role: to.role };
	const about = { deed: "transfer", subject: app.id, app: app.name, who: maskedEmail(to.email), ...moved } as const;
	const facts = { ...about, origin: originOf(person) };
	return [
		await newLetter(room.people, person.account, facts, by.nowMs),
		await newLetter(room.people, to, facts, by.nowMs),
	];
}

/**
 * Begins to delete an App: from here on no request reaches it, and a job removes what it holds. A subscriber of a plan of the App keeps
 * it from being deleted, unless `endSubscriptions`: then they pay nothing any more.
 * @throws Failure validation_error under `confirm_name` for another name than the App's; forbidden for a session that is not fresh;
 * state_conflict while there are subscribers
 */
export async function startDeletion(
	room: Apps,
	teamMember: TeamMember,
	{ confirmName, endSubscriptions }: { readonly confirmName: string | undefined; readonly endSubscriptions: boolean },
): Promise<Job> {
	const { app, person } = teamMember;
	if (confirmName?.normalize("NFC") !== app.name) throw unconfirmed();
	const facts = { dedupe: `app.delete:${app.id}`, startedBy: person.account.id, appPk: app.pk };
	const job = newJob("app.delete", { appId: app.id }, facts);
	const refused = await room.store.delete(authorityOf(teamMember, "owner"), app, endSubscriptions, job);
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "renamed") throw unconfirmed();
	if (refused === "stale") throw stale();
	if (refused === "subscribed" || refused === "paying_others") {
		throw Failure.saying(
			"state_conflict",
			`${PAYING[refused]} Send cancel_subscriptions=true to end their subscriptions with it.`,
		);
	}
	await readHosts(room);
	room.jobs.wake();
	return found(await room.jobs.store.find(job.id));
}

const PAYING = {
	subscribed: "People subscribe to plans of this App.",
	paying_others: "Users of this App pay the service for their storages in it.",
} as const;

function unconfirmed(): Failure {
	return invalid("confirm_name", "must be the App's name, exactly as it is");
}
