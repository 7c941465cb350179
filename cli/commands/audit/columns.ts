import type { AuditEntry } from "@svc/sdk/management-types";
import { UsageError } from "../../exit.ts";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
	{ name: "created_at", value: (entry) => entry.created_at },
	{ name: "event", value: (entry) => entry.event },
	{ name: "target", value: (entry) => entry.target },
	{ name: "actor", value: (entry) => entry.actor },
	{ name: "changes", value: (entry) => entry.changes, shrinks: true },
	{ name: "request_id", value: (entry) => entry.request_id, hidden: true },
	{ name: "id", value: (entry) => entry.id, hidden: true },
];

/** What an audit is filtered by. */
export const AUDIT_ARGS = {
	actor: { type: "string", valueHint: "id", description: "Only what this account did" },
	event: { type: "string", valueHint: "event", description: "Only this, as key.revoked" },
	since: { type: "string", valueHint: "date", description: "Only from then on: ISO 8601, or 15m, 24h, 7d ago" },
} as const;

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A date as it is, a duration as the time so long before `now`. @throws UsageError */
export function readSince(sent: string | undefined, now: Date): string | undefined {
	if (sent === undefined) return undefined;
	const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(sent) ?? [];
	const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
	if (amount !== undefined) return new Date(now.getTime() - milliseconds).toISOString();
	if (Number.isNaN(Date.parse(sent)))
		throw new UsageError(`--since takes a date or a time such as 15m; not "${sent}".`);
	return new Date(sent).toISOString();
}
