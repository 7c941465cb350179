import type { App } from "@svc/sdk/management-types";
import type { OperatedApp } from "@svc/sdk/operator-types";
import type { Advice } from "../../advice.ts";
import type { Column } from "../../table.ts";

type Common = Omit<App, "role">;

const NAMED: readonly Column<Common>[] = [
	{ name: "id", value: (app) => app.id },
	{ name: "name", value: (app) => app.name, shrinks: true },
	{ name: "state", value: (app) => app.state },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const APP_COLUMNS: readonly Column<App>[] = [
	...NAMED,
	{ name: "role", value: (app) => app.role },
	{ name: "plan", value: (app) => app.plan },
	{ name: "sign_in", value: (app) => (app.sign_in_enabled ? "on" : "off") },
	{ name: "created_at", value: (app) => app.created_at },
];

const limit = (value: number | null) => value ?? "none";

/** One App, all of it. */
export const APP_DETAILS: readonly Column<App>[] = [
	...APP_COLUMNS,
	{ name: "selling", value: (app) => (app.selling_enabled ? "on" : "off") },
	{ name: "images_limit", value: (app) => limit(app.limits.images) },
	{ name: "users_limit", value: (app) => limit(app.limits.users) },
	{ name: "paused_at", value: (app) => app.paused_at },
	{ name: "blocked_at", value: (app) => app.blocked_at },
];

/** An App as operators see it. */
export const OPERATED_COLUMNS: readonly Column<OperatedApp>[] = [
	...NAMED,
	{ name: "block_reason", value: (app) => app.block_reason },
	{ name: "owner", value: (app) => app.owner?.email },
	{ name: "images", value: (app) => app.images },
	{ name: "users", value: (app) => app.users },
];

/** What to do about a refusal that is about an App. */
export const APP_ADVICE: Advice = {
	not_found: "See which Apps there are: svc apps list",
	forbidden: "See your role: svc apps get <id>",
};
