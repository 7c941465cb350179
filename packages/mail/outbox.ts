import type { Throttle } from "@svc/base/database/rate-shared";
import { isTestAddress } from "@svc/base/email";
import type { Clock, Log, Meters } from "@svc/base/ports";
import { shortLine } from "@svc/base/text";
import type { TryOutcome } from "./health-store.ts";
import { classOf, HIDDEN, MAIL_CLASSES, type MailClass, SECRET_FACTS, usefulUntilMs } from "./mail.ts";
import type { ClaimedMail, MailClaim, MailEnd, MailStore } from "./mail-store.ts";
import type { MailOutcome, MailTransport } from "./ports.ts";

/*
 * Every mail is a row, written in the same commit as the change that it reports, and sent from there by the process that claims
 * it. A claim is one conditional UPDATE, so that each mail is sent once, however many processes share the outbox.
 *
 * A second send is possible only where delivery cannot be known: when the connection, or this process, dies between the server's
 * acceptance and its record. Such tries are counted, and after two of them the mail is not sent again, so that none ever goes
 * out three times. Both carry the same Message-ID and Date, by which receivers recognise one mail.
 *
 * Each lane sends one mail after the other. People wait for codes, so some lanes send nothing else: whatever waits besides, and
 * however slow the mail server is, a code waits for other codes alone.
 */

export interface OutboxDeps {
	readonly mails: MailStore;
	/** Undefined: no mail is sent, and operators read the mails where they are. */
	readonly transport: MailTransport | undefined;
	/** Mails in a minute, of all processes together; 0 stands for any number. Other mails than codes have half of it. */
	readonly ratePerMinute: number;
	readonly testPeople: boolean;
	readonly mode: "test" | "live";
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Meters;
}

export interface Outbox {
	/**
	 * Sends mails until none is due; returns how many were sent. Safe to call at any time, and in many processes at once: called while it
	 * runs, it sets those lanes going again that had nothing to do.
	 */
	send(): Promise<number>;
	/** Removes what is not needed any more: secrets past their time, and old mails. Returns how many were touched. */
	tidy(): Promise<number>;
	/** Begins no new mail, and resolves when the mails under way have ended. */
	close(): Promise<void>;
}

/** The classes that each lane sends, the first of them first. */
const LANES: readonly (readonly MailClass[])[] = [["code"], ["code"], MAIL_CLASSES, MAIL_CLASSES];
/** Far longer than a try can take, so that a claim is only ever lost to a process that died. */
const LEASE_MS = 120_000;
const SECOND_MS = 1_000;
/** How long to wait after each try but the last: eight tries in about an hour, and four in the three minutes that people wait. */
const BACKOFF_MS = [5, 15, 45, 120, 300, 900, 2_400].map((seconds) => seconds * SECOND_MS);
/** How often a mail may be handed over without an answer. */
const MAX_UNCERTAIN = 2;
const TWICE = "Two tries ended without an answer. It may have been delivered, and is not sent again.";
const KEPT_MS = 30 * 24 * 3_600 * SECOND_MS;
const TIDY_BATCH = 500;
const FAILURE_MAX = 300;

export function openOutbox(deps: OutboxDeps): Outbox {
	/** By lane; one that is not here has nothing to do. */
	const running = new Map<number, Promise<number>>();
	let closed = false;
	let hasToldOfKept = false;

	/** Developers wait for a mail that no process sends: they are told once, when there is one. */
	async function tellOfKept(): Promise<void> {
		if (hasToldOfKept || deps.mode === "live" || !(await deps.mails.isDue(deps.clock.now()))) return;
		hasToldOfKept = true;
		deps.log.warn(
			"mails stay in the database until SVC_MAIL=smtp is set: `svc operator emails --limit 1 --json` shows the last one",
		);
	}

	/** Starts the lanes that have nothing to do; one that goes on already is not joined by a second one. */
	function startLanes(transport: MailTransport): readonly Promise<number>[] {
		const started: Promise<number>[] = [];
		for (const [place, classes] of LANES.entries()) {
			if (running.has(place)) continue;
			const lane = sendInTurn({ ...deps, transport }, classes, () => !closed).finally(() => running.delete(place));
			running.set(place, lane);
			started.push(lane);
		}
		return started;
	}

	return {
		async send() {
			if (!deps.transport) {
				await tellOfKept();
				return 0;
			}
			// Usually no mail is due, and a read does not block the writer.
			if (closed || !(await deps.mails.isDue(deps.clock.now()))) return 0;
			let sent = 0;
			for (const lane of await Promise.allSettled(startLanes(deps.transport))) {
				if (lane.status === "rejected") throw lane.reason;
				sent += lane.value;
			}
			return sent;
		},
		tidy: () => tidy(deps),
		async close() {
			closed = true;
			await Promise.allSettled(running.values());
			deps.transport?.close();
		},
	};
}

/** What came of a mail's turn; without an outcome it was not tried, or the try says nothing about mail as a whole. */
interface Tried {
	readonly end: MailEnd;
	readonly outcome?: TryOutcome | undefined;
}

type SenderDeps = OutboxDeps & { readonly transport: MailTransport };

async function sendInTurn(deps: SenderDeps, lane: readonly MailClass[], goesOn: () => boolean): Promise<number> {
	let classes = lane;
	let sent = 0;
	while (goesOn()) {
		const now = deps.clock.now();
		const next = await deps.mails.nextClass(classes, now);
		if (next === undefined) break;
		const claim: MailClaim = { nonce: crypto.randomUUID(), untilMs: now + LEASE_MS };
		const mail = await deps.mails.claim(claim, next, now, throttlesOf(next, deps.ratePerMinute));
		if (mail === "full") {
			// Codes have room of their own; the rest waits for the next minute.
			classes = next === "code" ? [] : classes.filter((of) => of === "code");
			continue;
		}
		// Another lane, or another process, was faster.
		if (mail === "none") continue;
		const tried = await tryOnce(deps, mail, now);
		if (tried.end.state === "sent") sent++;
		await conclude(deps, mail, claim, tried);
	}
	return sent;
}

/** What counts a mail of a class. */
function throttlesOf(of: MailClass, ratePerMinute: number): readonly Throttle[] {
	if (ratePerMinute === 0) return [];
	const all = { bucket: "mail all", limit: ratePerMinute, windowMs: 60 * SECOND_MS };
	if (of === "code") return [all];
	return [all, { ...all, bucket: "mail rest", limit: Math.max(1, Math.floor(ratePerMinute / 2)) }];
}

/** Makes one try at most: a mail whose time is over, or that may have been delivered twice, is not even tried. */
async function tryOnce(deps: SenderDeps, mail: ClaimedMail, now: number): Promise<Tried> {
	// Nobody reads it there; operators find it in their list.
	if (isTestAddress(deps, mail.recipient)) return { end: { state: "kept" } };
	if (mail.uncertain >= MAX_UNCERTAIN) return { end: { state: "failed", failure: TWICE } };
	const untilMs = usefulUntilMs(mail) ?? Number.POSITIVE_INFINITY;
	if (untilMs <= now) return gaveUp(mail.failure, "What it holds expired before it could be sent.");
	if (mail.attempts > BACKOFF_MS.length + 1) return gaveUp(mail.failure, "It was tried too often.");
	const delivery = await deliver(deps, mail);
	const end = endOf(delivery, mail, deps.clock.now(), untilMs);
	return { end, outcome: outcomeOf(delivery, mail) };
}

/** What a try says about mail as a whole. A refused address says that the server is there, and no more. */
function outcomeOf(delivery: MailOutcome, mail: ClaimedMail): TryOutcome | undefined {
	if (delivery.kind === "accepted") return { worked: true };
	if (delivery.kind === "refused" && delivery.ofAddress) return undefined;
	return { worked: false, failure: presentable(delivery.failure, mail) };
}

async function deliver({ transport, log }: SenderDeps, mail: ClaimedMail): Promise<MailOutcome> {
	try {
		return await transport.deliver(mail);
	} catch (cause) {
		log.error("a mail could not be made", { id: mail.id, template: mail.template, cause });
		return { kind: "failed", failure: "The mail could not be made; the log tells why." };
	}
}

function endOf(delivery: MailOutcome, mail: ClaimedMail, now: number, untilMs: number): MailEnd {
	if (delivery.kind === "accepted") return { state: "sent" };
	const failure = presentable(delivery.failure, mail);
	if (delivery.kind === "refused") return { state: "failed", failure };
	if (delivery.kind === "uncertain" && mail.uncertain + 1 >= MAX_UNCERTAIN) return { state: "failed", failure: TWICE };
	const waitMs = BACKOFF_MS[mail.attempts - 1];
	if (waitMs === undefined || now + waitMs >= untilMs) return { state: "failed", failure };
	return { state: "queued", failure, nextMs: now + waitMs, uncertain: delivery.kind === "uncertain" };
}

function gaveUp(last: string | null, why: string): Tried {
	const failure = last === null ? why : `${why} The last try: ${last}`.slice(0, FAILURE_MAX);
	return { end: { state: "failed", failure } };
}

/** Servers quote what they refuse, and may answer any text. */
function presentable(failure: string, { facts }: ClaimedMail): string {
	let text = failure;
	for (const [name, value] of Object.entries(facts)) {
		if (SECRET_FACTS.has(name) && typeof value === "string" && value !== "") text = text.replaceAll(value, HIDDEN);
	}
	return shortLine(text, FAILURE_MAX);
}

async function conclude(deps: SenderDeps, mail: ClaimedMail, claim: MailClaim, { end, outcome }: Tried): Promise<void> {
	const { id, template, attempts } = mail;
	deps.meters.count("svc_mail_sent_total", { class: classOf(template), outcome: end.state });
	if (end.state === "queued")
		deps.log.warn("a mail could not be sent yet", { id, template, attempts, failure: end.failure });
	if (end.state === "failed")
		deps.log.error("a mail could not be sent", { id, template, attempts, failure: end.failure });
	const noted = await deps.mails.finish(mail, claim, end, deps.clock.now(), outcome);
	if (!noted) deps.log.warn("a mail took longer than its claim, and may be sent again", { id, template });
}

async function tidy({ mails, transport, clock }: OutboxDeps): Promise<number> {
	const now = clock.now();
	const forgotten = await mails.forget(now - KEPT_MS, TIDY_BATCH);
	// Where mails are sent, the process that claims one removes its secrets.
	if (transport) return forgotten;
	const due = await mails.listDue(now, TIDY_BATCH);
	const settled = due.map((mail) => {
		const untilMs = usefulUntilMs(mail);
		return { pk: mail.pk, nextMs: untilMs !== undefined && untilMs > now ? untilMs : null };
	});
	if (settled.length > 0) await mails.settle(settled, now);
	return forgotten + settled.length;
}
