import type { App, OperatedApp } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";
import type { Advice } from "../../kit/refusal.ts";
import { userLimitsText } from "../../kit/user-limits.ts";

type Common = Omit<App, "role">;

const NAMED: readonly Column<Common>[] = [
	...fields("id"),
	{ name: "name", value: (app) => app.name, shrinks: true },
	...fields("state"),
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const APP_COLUMNS: readonly Column<App>[] = [
	...NAMED,
	...fields("role", "plan"),
	{ name: "sign_in", value: (app) => (app.sign_in_enabled ? "on" : "off") },
	...fields("created_at"),
];

const limit = (value: number | null) => value ?? "none";

/** Every column of one App. */
export const APP_DETAILS: readonly Column<App>[] = [
	...APP_COLUMNS,
	{ name: "selling", value: (app) => (app.selling_enabled ? "on" : "off") },
	{ name: "images_limit", value: (app) => limit(app.limits.images) },
	{ name: "users_limit", value: (app) => limit(app.limits.users) },
	...fields("paused_at", "blocked_at"),
	{ name: "profile", value: ({ profile }) => profileWords(profile) },
	{ name: "tax", value: ({ tax }) => taxWords(tax) },
	{ name: "promotion_codes", value: (app) => (app.promotion_codes ? "on" : "off") },
	...fields("delivery"),
	{ name: "free_limits", value: (app) => userLimitsText(app.free_limits) },
];

/** An older service knows no profiles. */
function profileWords(profile: App["profile"] | undefined): string | undefined {
	const said = Object.entries(profile ?? {}).filter(([, value]) => value !== null);
	return said.length === 0 ? undefined : said.map(([name, value]) => `${name}=${value}`).join(" ");
}

/** An older service takes no tax. */
function taxWords(tax: App["tax"] | undefined): string {
	return tax?.mode === "automatic" ? tax.behavior : "none";
}

/** An App as operators see it. */
export const OPERATED_COLUMNS: readonly Column<OperatedApp>[] = [
	...NAMED,
	...fields("block_reason"),
	{ name: "owner", value: (app) => app.owner?.email },
	...fields("images", "users"),
];

/** Advice for a refusal that is about an App. */
export const APP_ADVICE: Advice = {
	not_found: "See which Apps there are: svc apps list",
	forbidden: "See your role: svc apps get <id>",
};

/** The argument of every command that changes one App: it is always named, never taken silently from the profile. */
export const APP_ID = {
	id: { type: "positional", required: true, valueHint: "id", description: "App id" },
} as const;
