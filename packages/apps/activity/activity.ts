import type { Span } from "@svc/base/cursors";
import type { Account } from "@svc/people/people";
import type { Apps } from "../room.ts";
import { entryOf, type ListedAuditEntry } from "./audit.ts";

/**
 * What happened to a person's own account: what they did themselves, and what operators did to it, without saying which operator.
 * Newest first.
 */
export async function listActivity(
	room: Apps,
	{ id, pk }: Account,
	sinceMs: number | undefined,
	span: Span,
): Promise<readonly ListedAuditEntry[]> {
	const records = await room.activity.list({ id, pk, sinceMs }, span);
	return await Promise.all(records.map(entryOf));
}
