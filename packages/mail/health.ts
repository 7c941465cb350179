import type { Base } from "@svc/base/base";
import type { mailHealthStore } from "./health-store.ts";
import { MAIL_CLASSES, type MailClass } from "./mail.ts";

/*
 * Whether mail goes out. Sign-in depends on it and pictures do not: a service whose mail fails is ready all the same, and says so to its
 * operators and to people who wait for a code.
 */

interface MailHealth {
	readonly state: "ok" | "failing";
	readonly waiting: Readonly<Record<MailClass, number>>;
	/** How long the oldest mail that waits has done so; 0 where none does. */
	readonly oldestSeconds: number;
	readonly lastSentMs: number | null;
	/** Why the last try that failed did; null where none has. */
	readonly lastFailure: string | null;
}

export interface MailHealthReader {
	/** Where no mail is sent, nothing waits and nothing fails. */
	read(): Promise<MailHealth>;
}

const FAILURES = 3;
const CODE_WAITS_MS = 60_000;
const NOTHING: MailHealth = {
	state: "ok",
	waiting: { code: 0, security: 0, billing: 0, team: 0, notice: 0 },
	oldestSeconds: 0,
	lastSentMs: null,
	lastFailure: null,
};

/** Also gives the meters what was read last: whoever serves them reads first. */
export function openMailHealth(
	{ clock, meters }: Base,
	store: ReturnType<typeof mailHealthStore>,
	{ sends }: { readonly sends: boolean },
): MailHealthReader {
	let latest = NOTHING;
	for (const of of MAIL_CLASSES) meters.gauge("svc_mail_waiting", () => latest.waiting[of], { class: of });
	meters.gauge("svc_mail_oldest_seconds", () => latest.oldestSeconds);

	return {
		async read() {
			if (!sends) return NOTHING;
			const [run, { counts, oldestMs, oldestCodeMs }] = await Promise.all([store.findRun(), store.countWaiting()]);
			const now = clock.now();
			const isLate = oldestCodeMs !== null && now - oldestCodeMs > CODE_WAITS_MS;
			latest = {
				state: run.failures >= FAILURES || isLate ? "failing" : "ok",
				waiting: counts,
				oldestSeconds: oldestMs === null ? 0 : Math.max(0, Math.floor((now - oldestMs) / 1_000)),
				lastSentMs: run.lastSentMs,
				lastFailure: run.lastFailure,
			};
			return latest;
		},
	};
}
