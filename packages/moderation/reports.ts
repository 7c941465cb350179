import type { Actor } from "@svc/base/actor";
import type { Addresses } from "@svc/base/addresses";
import type { BlockReason, Locale, ReportOutcome } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { isId, newId } from "@svc/base/ids";
import type { NewReport, Report } from "./report.ts";
import type { Moderation } from "./room.ts";

/** The reports of an operator's list. */
export const REPORT_STATES = ["open", "resolved"] as const;

/** The longest note that a reporter or operator may leave, in UTF-16 units. */
export const NOTE_MAX = 2_000;

/** The reported image: its address as the reporter has it, or its id. */
type Reported = { readonly url: string } | { readonly imageId: string };

export type SentReport = Reported & {
	readonly reason: BlockReason;
	readonly note?: string | null | undefined;
	readonly email?: string | null | undefined;
	/** The language of the page on which it was written. */
	readonly locale?: Locale | undefined;
	/** The network address that it came from; only a MAC of it is kept. */
	readonly address: string;
};

/** How long a reporter can be asked after their report is resolved; then their address is forgotten. */
export const REPORTER_KEPT_MS = 90 * 86_400_000;

const HOURLY_MAX = 10;
const HOUR_MS = 3_600_000;

/**
 * Takes a report from any client. The answer is the same whether there is such an image or not, so that it reveals nothing.
 * @throws Failure validation_error under `url` for a text that is no image address of ours, rate_limited past 10 an hour from one network
 */
export async function createReport(room: Moderation, sent: SentReport): Promise<void> {
	const subject = subjectOf(room.addresses, sent);
	const now = room.clock.now();
	const addressMac = await macOf(room, sent.address);
	if (!(await room.throttles.take(bucketOf(addressMac), HOURLY_MAX, HOUR_MS, now))) throw tooMany(HOUR_MS);
	const { reason, note, email, locale = null } = sent;
	const said = { reason, note: note || null, email: email || null, locale };
	const report = { id: newId("rep"), ...subject, ...said, addressMac };
	await room.reports.create(report, now);
}

/** Before anything is read of a report. @throws Failure rate_limited where {@link createReport} would refuse it */
export async function askReports(room: Moderation, address: string): Promise<void> {
	const now = room.clock.now();
	const window = await room.throttles.find(bucketOf(await macOf(room, address)), now);
	if (window && window.count >= HOURLY_MAX) throw tooMany(window.endsMs - now);
}

function macOf(room: Moderation, address: string): Promise<Uint8Array<ArrayBuffer>> {
	return room.reportMac("address", networkOf(address));
}

function bucketOf(addressMac: Uint8Array): string {
	return `report ${addressMac.toHex()}`;
}

function tooMany(waitMs: number): Failure {
	return new Failure("rate_limited", undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}

type Subject = Pick<NewReport, "imageId" | "teamHash">;

function subjectOf(addresses: Addresses, sent: Reported): Subject {
	if ("imageId" in sent) return { imageId: sent.imageId, teamHash: null };
	const subject = parseReported(addresses, sent.url);
	if (!subject) {
		throw invalid(
			"url",
			"must be the address of an image here, with or without parameters, of its own page or of its report page",
		);
	}
	return subject;
}

/** Undefined for an address that cannot be one of ours. */
function parseReported({ cdn, web }: Addresses, text: string): Subject | undefined {
	const url = URL.parse(text);
	if (!url || url.username || url.password) return undefined;
	const address = url.origin + url.pathname;
	const [, teamHash = "", named = ""] = /^\/([\w-]{1,64})\/([\w-]{1,64})\.[a-z]{3,4}$/.exec(below(cdn, address)) ?? [];
	if (isId("img", named)) return { imageId: named, teamHash };
	const [, reported = ""] = /^\/(?:report|i)\/([\w-]{1,64})$/.exec(below(web, address)) ?? [];
	return isId("img", reported) ? { imageId: reported, teamHash: null } : undefined;
}

/** The rest of one of our addresses; empty for any other address. */
function below(base: string, address: string): string {
	// Parsed like the reported one, so that a port or letter case makes no difference.
	const ours = URL.parse(base);
	const start = ours ? (ours.origin + ours.pathname).replace(/\/$/, "") : base;
	return address.startsWith(`${start}/`) ? address.slice(start.length) : "";
}

/** @throws Failure not_found, state_conflict for one that has been resolved already */
export async function resolveReport(
	room: Pick<Moderation, "reports">,
	id: string,
	outcome: ReportOutcome,
	by: Actor,
): Promise<Report> {
	const resolved = isId("rep", id) && (await room.reports.resolve(id, outcome, by));
	const report = found(isId("rep", id) ? await room.reports.find(id) : undefined);
	if (!resolved) throw Failure.saying("state_conflict", `This report is ${report.outcome ?? "open"} already.`);
	return report;
}
