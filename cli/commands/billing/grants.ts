import type { Grant } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT } from "../../kit/exit.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const GRANT_COLUMNS: readonly Column<Grant>[] = [
	...fields("id", "user_id", "plan_key", "until", "reason", "granted_by", "ended_at"),
];

const ADVICE = {
	not_found: "See who is connected: svc users list; what a user is given: svc users get <id>",
	forbidden: "Only the App's Owner and operators give plans; an operator's sign-in has to be fresh: svc login",
	state_conflict: "See how it is now: svc users list, svc plans list",
};

const USER = { type: "positional", required: true, valueHint: "id", description: "User id" } as const;

export const grant = defineCommand({
	summary: "Give a user a plan for nothing",
	notes: "In the place of what they were given before. What they pay for goes before it.",
	examples: ["svc plans grant usr_1 gold --until 2027-06-30T00:00:00Z --reason 'Thank you for testing'"],
	args: {
		user: USER,
		plan: { type: "positional", required: true, description: "The plan's key: svc plans list" },
		until: { type: "string", valueHint: "date", required: true, description: "When it ends, within 365 days" },
		reason: { type: "string", valueHint: "text", required: true, description: "Why; the user reads it" },
	},
	async run({ args: { user, plan, until, reason } }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		const options = { signal: process.signal };
		const given = await advising(ADVICE, () => app.users.grant(user, { planKey: plan, until, reason }, options));
		await out.record(GRANT_COLUMNS, given);
		return EXIT.ok;
	},
});

export const ungrant = defineCommand({
	summary: "Take back a plan that a user was given",
	notes: "Asks first, unless --yes is given.",
	examples: ["svc plans ungrant usr_1 --yes"],
	args: { user: USER },
	async run({ args: { user } }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		await confirm(context, `Take back what ${user} was given?`);
		const ended = await advising(ADVICE, () => app.users.ungrant(user, { signal: process.signal }));
		await out.record(GRANT_COLUMNS, ended);
		return EXIT.ok;
	},
});
