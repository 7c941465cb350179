import { printableLine } from "@svc/base/text";
import type { AuditEntry } from "@svc/sdk/shapes";
import { cut } from "@svc/tui/text";
import { shortIds } from "../../kit/output/people.ts";
import { cellText } from "../../kit/output/table.ts";
import { padEnd } from "../../kit/output/table-lines.ts";

/** What comes line by line cannot know how wide a column will be. */
const LEAST_CELLS = { event: 20, id: 11 };

/** The time of day is what tells lines apart that come now; ids and changes have what room there is. */
export function entryLine(entry: AuditEntry, width: number): string {
	const isWide = width === Number.POSITIVE_INFINITY;
	const [target = "", actor = ""] = [entry.target ?? "", entry.actor ?? ""].map((id) =>
		isWide ? id : (shortIds([id])[0] ?? ""),
	);
	const texts = [
		`${entry.created_at.slice(0, 19)}Z`,
		padEnd(entry.event, LEAST_CELLS.event),
		padEnd(target, LEAST_CELLS.id),
		padEnd(actor, LEAST_CELLS.id),
		cellText(entry.changes),
	];
	return cut(printableLine(texts.join("  ")).trimEnd(), width);
}
