import type { ExitCode } from "@svc/base/processes/exit";
import { ACCOUNT_STATUSES, EMAIL_STATES } from "@svc/sdk/lists";
import type { Account, Email, ServiceUsage } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { changeEach } from "../../kit/work/removal.ts";
import { BILLING_COMMANDS, clock, simulate } from "../billing/operator-billing.ts";
import { OPERATED_APP_COMMANDS, OPERATOR_ADVICE } from "./operator-apps.ts";

/** Totals of the whole service. */
const OVERVIEW_COLUMNS: readonly Column<ServiceUsage>[] = [
	{ name: "apps", value: (usage) => counts(usage.apps) },
	{ name: "accounts", value: (usage) => counts(usage.accounts) },
	...fields("users"),
	{
		name: "images",
		value: (usage) => counts(usage.images),
		shown: ({ images: { bytes, ...images } }, units) => `${counts(images)}, ${units.bytes(bytes)}`,
	},
	{ name: "moderation", value: (usage) => counts(usage.moderation) },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const ACCOUNT_COLUMNS: readonly Column<Account>[] = [
	...fields("id"),
	{ name: "email", value: (account) => account.email, shrinks: true },
	...fields("status", "operator", "created_at"),
];

/** Leaves out the text, which may hold codes. The order of the columns in a pipe is a promise to scripts: add at the end only. */
const EMAIL_COLUMNS: readonly Column<Email>[] = [
	...fields("id", "created_at", "template"),
	{ name: "recipient", value: (email) => email.recipient, shrinks: true },
	...fields("state", "attempts"),
	{ name: "failure", value: (email) => email.failure, shrinks: true },
];

const overview = shows({
	summary: "Show the totals of the whole service",
	examples: ["svc operator overview", "svc operator overview --field moderation.open_reports"],
	columns: OVERVIEW_COLUMNS,
	advice: OPERATOR_ADVICE,
	from: "management",
	send:
		() =>
		({ operator }, options) =>
			operator.usage(options),
});

const accounts = lists({
	summary: "List the accounts of the whole service",
	examples: ["svc operator accounts", "svc operator accounts --email ann@ --status active"],
	args: {
		email: takes.text("How the address begins", "text"),
		status: takes.choice("Only accounts like this", ACCOUNT_STATUSES),
	},
	columns: ACCOUNT_COLUMNS,
	advice: OPERATOR_ADVICE,
	from: "management",
	pages: ({ args: { email, status } }) => {
		const filter = { ...givenFilters({ q: email }), ...readChoice("status", status, ACCOUNT_STATUSES) };
		return ({ operator }) =>
			(page) =>
				operator.accounts.list({ ...page, ...filter });
	},
});

const ACCOUNT_ADVICE = { not_found: "See what there is: svc operator accounts. Only operators see them: svc whoami" };

const disable = defineCommand({
	summary: "Refuse people, and Apps' calls for them",
	notes: "Their sessions, tokens and keys stop working at once. Undone by: svc operator enable",
	examples: ["svc operator disable acc_1", "svc operator disable acc_1 acc_2"],
	args: {},
	rest: takes.ids("Account ids"),
	run: ({ rest }, context) => setDisabled(rest, "disable", context),
});

const enable = defineCommand({
	summary: "Let disabled people in again",
	examples: ["svc operator enable acc_1", "svc operator enable acc_1 acc_2"],
	args: {},
	rest: takes.ids("Account ids"),
	run: ({ rest }, context) => setDisabled(rest, "enable", context),
});

const emails = lists({
	summary: "List what was mailed, and what waits to be",
	notes: `${pipeNote(EMAIL_COLUMNS)} JSON has the text too; codes are in it only where mail stays inside the service.`,
	examples: ["svc operator emails", "svc operator emails --state failed --all", "svc operator emails --field subject"],
	args: {
		recipient: takes.text("Only to this address", "address"),
		template: takes.text("Only of this kind", "sign_in_code"),
		state: takes.choice("Only mail in this state", EMAIL_STATES),
	},
	columns: EMAIL_COLUMNS,
	advice: OPERATOR_ADVICE,
	from: "management",
	pages: ({ args: { recipient, template, state } }) => {
		const filter = { ...givenFilters({ recipient, template }), ...readChoice("state", state, EMAIL_STATES) };
		return ({ operator }) =>
			(page) =>
				operator.emails.list({ ...page, ...filter });
	},
});

export const OPERATOR_COMMANDS = {
	overview,
	apps: {
		summary: "see all Apps, and set their plans and limits, for operators",
		alone: "list",
		old: { set: "edit" },
		commands: async () => OPERATED_APP_COMMANDS,
	},
	accounts,
	disable,
	enable,
	emails,
	billing: {
		summary: "see all subscriptions, end them and pay back, for operators",
		commands: async () => BILLING_COMMANDS,
	},
	clock,
	simulate,
};

function counts(of: object): string {
	return Object.entries(of)
		.map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`)
		.join(", ");
}

function setDisabled(items: readonly string[], verb: "disable" | "enable", context: Context): Promise<ExitCode> {
	const work = (id: string) =>
		advising(ACCOUNT_ADVICE, async () => {
			const { accounts } = (await context.management()).operator;
			return await accounts[verb](id, { signal: context.process.signal });
		});
	// Where no person is signed in, that is said once, and not for each id.
	const signedIn = async () => void (await context.management());
	return changeEach({ items, before: signedIn, work, columns: ACCOUNT_COLUMNS }, context);
}
