import type { ManagedKey } from "@svc/sdk/shapes";
import type { Advice } from "../../kit/refusal.ts";

const REACH: Readonly<Record<string, string>> = { app: "App-wide", bucket: "the App storage" };

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
	[86_400, "d"],
	[3_600, "h"],
	[60, "min"],
];

/** Advice for a refusal that is about keys. */
export const KEY_ADVICE: Advice = {
	not_found: "See which keys there are: svc keys list",
	forbidden: "See whose key it is: svc keys get <id>; a key of one's own: svc keys create <name>",
	state_conflict: "Look at the key: svc keys get <id>",
};

/** The permissions of a key, in a few words. */
export function reachText({ reach, permissions }: Pick<ManagedKey, "reach" | "permissions">): string {
	return `${REACH[reach] ?? reach}, ${permissions.join("+")}`;
}

/** When a key was used last, in words. */
export function lastUse({ last_used_at: at }: Pick<ManagedKey, "last_used_at">, now: Date): string {
	if (at === null) return "never used";
	const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000));
	const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, "s"];
	return `last used ${Math.floor(seconds / size)} ${unit} ago`;
}
