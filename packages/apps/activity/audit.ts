import type { Span } from "@svc/base/cursors";
import { toBase62 } from "@svc/base/ids";
import type { AuditStore } from "./audit-store.ts";

export interface AuditFilter {
	/** Undefined: entries of all Apps, and of none. */
	readonly appPk: number | undefined;
	readonly actor: string | undefined;
	readonly event: string | undefined;
	readonly sinceMs: number | undefined;
	/** Shows which operator acted, and their notes; an App's team reads `operator` instead. */
	readonly unmasked?: boolean;
}

/** One audited action; entries are never changed. */
export interface AuditRecord {
	readonly pk: number;
	readonly atMs: number;
	/** Public id of the actor, or the name of a job. */
	readonly actor: string;
	/** The action, as `key.revoked`. */
	readonly event: string;
	readonly target: string | null;
	/** The changed fields and their new values. */
	readonly changes: unknown;
	readonly requestId: string | null;
}

export interface ListedAuditEntry extends AuditRecord {
	/** Derived from the entry itself, always the same. */
	readonly id: string;
}

export async function listAudit(
	room: { readonly audit: AuditStore },
	filter: AuditFilter,
	span: Span,
): Promise<readonly ListedAuditEntry[]> {
	const records = await room.audit.list(filter, span);
	return await Promise.all(records.map(entryOf));
}

/** An audited action with its id. */
export async function entryOf(record: AuditRecord): Promise<ListedAuditEntry> {
	return { ...record, id: await idOf(record) };
}

const ID_DIGITS = 22;
const DIGITS_PER_NUMBER = 2;

async function idOf({ pk, atMs, actor, event, target, requestId }: AuditRecord): Promise<string> {
	const text = JSON.stringify([pk, atMs, actor, event, target, requestId]);
	const numbers = new Uint16Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
	const digits = [...numbers.subarray(0, ID_DIGITS / DIGITS_PER_NUMBER)];
	return `aud_${digits.map((number) => toBase62(number, DIGITS_PER_NUMBER)).join("")}`;
}
