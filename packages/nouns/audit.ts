import type { AuditEntry, TrashedBlob } from "@svc/sdk/shapes";
import { noun, sectionOf } from "./noun.ts";
import { dayText, named, timeText } from "./words.ts";

/* What was done, and what was found by the service itself. */

/** With what people call who did it, and what it was about; undefined where only the id is known. */
export type AuditThing = AuditEntry & {
	readonly actor_name?: string | undefined;
	readonly target_name?: string | undefined;
};

export const AUDIT_ENTRY = noun<AuditThing>()({
	fields: {
		created_at: {
			kind: "time",
			title: "When",
			width: 9,
			label: "when",
			line: ({ created_at: at }, nowMs) => timeText(at, nowMs),
		},
		event: { title: "What", width: 24, label: "what" },
		target: {
			title: "About",
			cell: ({ target, target_name: name }) => name ?? target ?? "—",
			label: "about",
			line: ({ target, target_name: name }) => named(name, target ?? "—"),
		},
		actor: {
			title: "Who",
			width: 32,
			cell: ({ actor, actor_name: name }) => name ?? actor,
			label: "who",
			line: ({ actor, actor_name: name }) => named(name, actor),
		},
		changes: { shrinks: true },
		request_id: { hidden: true, label: "request" },
		id: { hidden: true },
		/** Beside the name that stands for it. */
		target_id: { value: ({ target, target_name: name }) => name && target, title: "Id", width: 28, more: true },
	},
	list: ["created_at", "event", "target", "actor", "changes", "request_id", "id"],
	detail: [],
	dashboard: {
		title: "Audit entry",
		empty: "Nothing has been recorded yet. r looks again.",
		columns: ["created_at", "event", "target", "actor", "target_id"],
		lines: ["id", "event", "target", "actor", "created_at", "request_id"],
		more: ({ changes }) =>
			sectionOf(
				"Changes",
				Object.entries(changes ?? {}).map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
			),
	},
});

export const TRASHED_BLOB = noun<TrashedBlob>()({
	fields: {
		id: { title: "Id", width: 30, more: true },
		image_id: { title: "Image", label: "image" },
		bytes: { kind: "bytes", title: "Size", width: 9 },
		trashed_at: {
			kind: "time",
			title: "Found",
			width: 9,
			label: "found",
			line: ({ trashed_at: at }, nowMs) => timeText(at, nowMs),
		},
		removed_at: {
			title: "Kept until",
			width: 11,
			cell: ({ removed_at: at }) => dayText(at),
			label: "kept until",
		},
		known: {
			title: "State",
			width: 10,
			cell: ({ known }) => (known ? "○ known" : "▣ unknown"),
			label: "then",
			line: ({ known }) =>
				known ? "the database knows it by now, so it comes back by itself" : "it is removed; m brings it back",
		},
	},
	list: ["id", "image_id", "bytes", "trashed_at", "removed_at", "known"],
	detail: [],
	dashboard: {
		title: "Stored bytes that no image belongs to",
		empty: "The trash is empty: the database knows all that is stored. r looks again.",
		columns: ["known", "image_id", "bytes", "trashed_at", "removed_at", "id"],
		lines: ["id", "image_id", "bytes", "trashed_at", "removed_at", "known"],
	},
});
