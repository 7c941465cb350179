import type { Action } from "./action.ts";
import type { Wanted } from "./model.ts";

const NEEDS_NAME = "It needs a name; esc makes no key.";
const MILLISECONDS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What the text that was asked for does, or why it cannot be that text. */
export function actOf(wanted: Wanted, text: string, nowMs: number): Action | string {
	switch (wanted.kind) {
		case "new-signing-key":
			return text === "" ? NEEDS_NAME : { kind: "new-signing-key", app: wanted.app, verb: "create", name: text };
		case "new-webhook":
			return URL.canParse(text)
				? { kind: "new-webhook", app: wanted.app, verb: "create", name: text }
				: "It needs an address, as https://app.example.com/hooks; esc adds none.";
		case "recover": {
			const since = sinceOf(text, nowMs);
			if (since === undefined) return "That is no time: 90m, 24h, 7d, or a date.";
			return { kind: "recover", app: wanted.app, id: wanted.id, verb: "recover", since };
		}
	}
}

/** A date as it is, a duration as the time so long ago. */
function sinceOf(text: string, nowMs: number): string | undefined {
	const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
	const atMs = amount === undefined ? Date.parse(text) : nowMs - Number(amount) * (MILLISECONDS[unit] ?? 0);
	return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
