import type { Context } from "../../kit/command.ts";
import { reasonOf } from "../../kit/report.ts";
import { checkAdmin } from "./admin-reach.ts";
import { type Check, failed, failedWith, passed, skipped } from "./checks.ts";
import { addressOf, type ProbeAnswer, probe, readReadiness } from "./probe.ts";

/** How much two clocks may differ. The service's Date header has whole seconds. */
const CLOCK_SECONDS = 30;

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
const REMEDIES: Readonly<Record<string, string>> = {
	clocks: "Set the clocks of the service's machine and of the database's by one source (NTP).",
	database: "Look into the service's log; check the disk's free space and SVC_DATABASE_URL.",
	blobs: "Look into the service's log; check that the service may write to SVC_DATA_DIR and that the disk has room.",
	durability:
		"A power cut of the database's machine takes acknowledged changes away: set its durability_mode to strong at its admin address, and run libSQL's server 0.24.33 or later (docs/operate/database-server.md).",
	service: "The service is stopping: wait, or start it again.",
	requests:
		"Requests wait for more than a second: look into the log for who sends much; limit them in the proxy in front.",
	secret:
		"Set SVC_DEPLOYMENT_SECRET to the same value for all processes (openssl rand -base64 32); docs/operate/upgrade.md says more.",
	scan: "Pictures that come are not judged: look at the service of SVC_SCAN_URL, and at the log for what it answers.",
	mail: "Sign-in codes do not arrive. svc server status tells operators what the mail server says; look at SVC_SMTP_URL.",
};

interface Reach {
	readonly checks: readonly Check[];
	/** Whether there is any point in asking more. */
	readonly answers: boolean;
}

/** Address, TLS, clock and readiness: what needs no key. */
export async function checkReach(context: Context, baseUrl: string): Promise<Reach> {
	const { process, globals } = context;
	let answer: ProbeAnswer;
	try {
		answer = await probe(process, addressOf(baseUrl, "/healthz"), globals.leftMs?.());
	} catch (error) {
		process.signal.throwIfAborted();
		return { checks: unreachable(baseUrl, error), answers: false };
	}
	const address = checkAnswer(baseUrl, answer);
	const checks = [address, checkTls(baseUrl), checkClock(answer, process.date())];
	if (address.state !== "ok") return { checks, answers: false };
	return { checks: [...checks, ...(await checkReadiness(context, baseUrl))], answers: true };
}

function unreachable(baseUrl: string, error: unknown): readonly Check[] {
	const reason = reasonOf(error);
	if (isAboutCertificates(reason)) {
		const remedy = "Give the service a certificate for this very name that this machine trusts, with its whole chain.";
		return [passed("address", `${baseUrl} answers`), failed("tls", reason, remedy)];
	}
	const remedy =
		"Check the address (svc config get base_url), that the service runs, and that no firewall is in between.";
	return [failed("address", reason, remedy)];
}

function isAboutCertificates(reason: string): boolean {
	return /certificate|CERT_|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO_VERIFY|SSL/i.test(reason);
}

function checkAnswer(baseUrl: string, { status, body }: ProbeAnswer): Check {
	const isOwn = status === 200 && new TextDecoder().decode(body).trim() === "ok";
	if (isOwn) return passed("address", `${baseUrl} answers`);
	const remedy = "Something else answers there: point SVC_BASE_URL, or the proxy in front, at the service's API.";
	return failed("address", `${baseUrl}/healthz answered ${status}`, remedy);
}

function checkTls(baseUrl: string): Check {
	const { protocol, hostname } = new URL(baseUrl);
	if (protocol === "https:") return passed("tls", "encrypted, with a certificate that this machine trusts");
	if (LOOPBACK.test(hostname)) return passed("tls", "not needed: the address does not leave this machine");
	return failed(
		"tls",
		"keys travel unencrypted",
		"Put a proxy with TLS in front, and make SVC_BASE_URL an https address.",
	);
}

function checkClock({ headers }: ProbeAnswer, now: Date): Check {
	const theirs = Date.parse(headers.get("date") ?? "");
	if (Number.isNaN(theirs)) return skipped("clock", "the service does not tell its time");
	const apart = Math.round(Math.abs(theirs - now.getTime()) / 1000);
	if (apart <= CLOCK_SECONDS) return passed("clock", `${apart} s apart`);
	return failed(
		"clock",
		`${apart} s apart`,
		"Set the clock that is wrong, and keep it right with NTP: expiry and sign-in go by it.",
	);
}

const WORKS: Readonly<Record<string, string>> = {
	// The service says that nothing fails: where it has no mail server, nothing is sent.
	mail: "none has failed to go out; without SVC_SMTP_URL all of it stays in the service",
	scan: "the judge of pictures answers",
	clocks: "the service's machine and its database agree",
	durability: "the database server syncs each commit",
};
const GOOD: ReadonlySet<string> = new Set(["ok", "strong"]);

/** States of the deployment's secret in which nothing is to be done at once. */
const TOLD: Readonly<Record<string, string>> = {
	moving: "what was made without it, or with the one before, is still taken; svc server rotate-secret seals it at once",
	spare: "nothing needs the one before any more: take it out of SVC_DEPLOYMENT_SECRET",
};

function isPassed(state: string): boolean {
	return GOOD.has(state) || Object.hasOwn(TOLD, state);
}

async function checkReadiness(context: Context, baseUrl: string): Promise<readonly Check[]> {
	const { process, globals } = context;
	try {
		const answer = await probe(process, addressOf(baseUrl, "/readyz"), globals.leftMs?.());
		const readiness = readReadiness(answer);
		if (readiness === undefined)
			return [
				failed(
					"database",
					`/readyz answered ${answer.status}`,
					"Let the proxy in front pass /readyz on to the service.",
				),
			];
		const parts = Object.entries(readiness.checks).map(([name, state]) =>
			isPassed(state)
				? passed(name, TOLD[state] ?? WORKS[name] ?? "commits and reads")
				: failed(name, state, remedyOf(name)),
		);
		const isOnServer = Object.hasOwn(readiness.checks, "durability");
		return isOnServer ? [...parts, await checkAdmin(context, baseUrl)] : parts;
	} catch (error) {
		process.signal.throwIfAborted();
		return [failedWith("database", error)];
	}
}

function remedyOf(name: string): string {
	return (Object.hasOwn(REMEDIES, name) ? REMEDIES[name] : undefined) ?? "Look into the service's log.";
}
