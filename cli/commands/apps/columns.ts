import type { Advice } from "../../kit/refusal.ts";

/** Advice for a refusal that is about an App. */
export const APP_ADVICE: Advice = {
	not_found: "See which Apps there are: svc apps list",
	forbidden: "See your role: svc apps get <id>",
};

/** The argument of every command that changes one App: it is always named, never taken silently from the profile. */
export const APP_ID = {
	id: { type: "positional", required: true, valueHint: "id", description: "App id" },
} as const;
