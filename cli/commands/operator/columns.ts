import type { Account } from "@svc/sdk/management-types";
import type { Email, OperatedApp, ServiceUsage } from "@svc/sdk/operator-types";
import type { Column } from "../../table.ts";

function counts(of: Readonly<Record<string, number>>): string {
	return Object.entries(of)
		.map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`)
		.join(", ");
}

/** Totals of the whole service. */
export const OVERVIEW_COLUMNS: readonly Column<ServiceUsage>[] = [
	{ name: "apps", value: (usage) => counts(usage.apps) },
	{ name: "accounts", value: (usage) => counts(usage.accounts) },
	{ name: "users", value: (usage) => usage.users },
	{ name: "images", value: (usage) => counts(usage.images) },
	{ name: "moderation", value: (usage) => counts(usage.moderation) },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const OPERATED_COLUMNS: readonly Column<OperatedApp>[] = [
	{ name: "id", value: (app) => app.id },
	{ name: "name", value: (app) => app.name, shrinks: true },
	{ name: "state", value: (app) => app.state },
	{ name: "plan", value: (app) => app.plan },
	{ name: "owner", value: (app) => app.owner?.email, shrinks: true },
	{ name: "images", value: (app) => app.images },
	{ name: "bytes", value: (app) => app.bytes },
	{ name: "users", value: (app) => app.users },
	{ name: "selling_enabled", value: (app) => app.selling_enabled, hidden: true },
	{ name: "block_reason", value: (app) => app.block_reason, hidden: true },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const ACCOUNT_COLUMNS: readonly Column<Account>[] = [
	{ name: "id", value: (account) => account.id },
	{ name: "email", value: (account) => account.email, shrinks: true },
	{ name: "status", value: (account) => account.status },
	{ name: "operator", value: (account) => account.operator },
	{ name: "created_at", value: (account) => account.created_at },
];

/** Without the text, which may hold codes. The order of what a pipe gets is a promise to scripts: add at the end only. */
export const EMAIL_COLUMNS: readonly Column<Email>[] = [
	{ name: "id", value: (email) => email.id },
	{ name: "created_at", value: (email) => email.created_at },
	{ name: "template", value: (email) => email.template },
	{ name: "recipient", value: (email) => email.recipient, shrinks: true },
	{ name: "state", value: (email) => email.state },
	{ name: "attempts", value: (email) => email.attempts },
	{ name: "failure", value: (email) => email.failure, shrinks: true },
];

export const OPERATOR_ADVICE = { not_found: "Only operators see this: svc whoami" };
