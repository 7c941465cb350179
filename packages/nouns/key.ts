import type { ManagedKey } from "@svc/sdk/shapes";
import { noun } from "./noun.ts";
import { ageText, named } from "./words.ts";

/** With the address of who made it. */
export type KeyThing = ManagedKey & { readonly creator_name?: string | undefined };

export const KEY = noun<KeyThing>()({
	fields: {
		id: {},
		name: { shrinks: true, worth: 5, title: "Name" },
		key: { value: ({ prefix, last4 }) => `${prefix}…${last4}`, title: "Key", width: 24, more: true },
		reach: { title: "Reach", width: 7 },
		permissions: {
			value: ({ permissions }) => permissions.join(","),
			title: "May",
			width: 11,
			cell: ({ permissions }) => permissions.join("+"),
			label: "may",
			line: ({ permissions }) => permissions.join(", "),
		},
		last_used_at: {
			kind: "time",
			value: ({ last_used_at: at }) => at ?? "never",
			worth: 3,
			title: "Last use",
			width: 9,
			label: "last use",
		},
		expires_at: {
			value: ({ expires_at: at }) => at ?? "never",
			worth: 2,
			title: "Expires",
			width: 8,
			more: true,
			cell: expiry,
			label: "expires",
			line: expiry,
		},
		revoked_at: {
			worth: 4,
			title: "State",
			width: 10,
			cell: ({ revoked_at: at }) => (at === null ? "○ works" : "⛒ revoked"),
			tone: ({ revoked_at: at }) => (at === null ? undefined : "danger"),
			label: "revoked",
			line: ({ revoked_at: at, revoke_reason: reason }, nowMs) =>
				at === null ? "no" : `${ageText(at, nowMs)}, ${reason ?? "—"}`,
		},
		revoke_reason: {},
		replaced_by: { label: "successor" },
		created_by: {
			title: "Made by",
			width: 28,
			more: true,
			cell: ({ creator_name: name, created_by: id }) => name ?? id,
		},
		created_at: {
			kind: "time",
			title: "Made",
			width: 8,
			more: true,
			label: "made",
			line: ({ created_at: at, creator_name: name, created_by: id }, nowMs) =>
				`${ageText(at, nowMs)} by ${named(name, id)}`,
		},
	},
	list: ["id", "name", "key", "reach", "permissions", "last_used_at", "expires_at", "revoked_at"],
	detail: ["revoke_reason", "replaced_by", "created_by", "created_at"],
	dashboard: {
		title: "Key",
		empty: "This App has no key. c creates one, as svc keys create does.",
		columns: [
			...["revoked_at", "name", "reach", "permissions", "last_used_at", "created_at", "expires_at", "created_by"],
			"key",
		] as const,
		lines: [
			...["id", "name", "key", "reach", "permissions", "created_at", "last_used_at", "expires_at", "revoked_at"],
			"replaced_by",
		] as const,
	},
});

function expiry({ expires_at: at }: KeyThing, nowMs: number): string {
	return at === null ? "never" : ageText(at, nowMs);
}
