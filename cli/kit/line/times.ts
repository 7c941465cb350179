import { UsageError } from "@svc/base/processes/exit";
import { readDate } from "@svc/base/words/dates";

/* Times as they are written on a line, told to be wrong before anything is sent. */

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

interface Bounds {
	readonly minSeconds: number;
	readonly maxSeconds: number;
	/** What the flag takes, as a person reads it. */
	readonly takes: string;
}

/** Of whole seconds, or of a number with a unit such as `90d`. @throws UsageError that names the flag and what it takes */
export function readDuration(flag: string, sent: string, { minSeconds, maxSeconds, takes }: Bounds): number {
	const [, amount, unit = "s"] = /^(\d{1,9})([smhd])?$/.exec(sent) ?? [];
	const seconds = Number(amount) * (UNITS[unit] ?? 0);
	if (seconds >= minSeconds && seconds <= maxSeconds) return seconds;
	throw new UsageError(`${flag} takes ${takes}; not "${sent}".`);
}

/** The same text, for the service to read. @throws UsageError */
export function checkDuration<Sent extends string | undefined>(flag: string, sent: Sent, bounds: Bounds): Sent {
	if (sent !== undefined) readDuration(flag, sent, bounds);
	return sent;
}

/** @throws UsageError for what is no date */
export function checkDate(flag: string, sent: string | undefined): string | undefined {
	if (sent === undefined || readDate(sent) !== undefined) return sent;
	throw new UsageError(`${flag} takes a date, such as 2026-12-01T08:00:00Z, or unix seconds; not "${sent}".`);
}
