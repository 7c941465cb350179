import type { Grant } from "@svc/sdk/shapes";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields } from "../../kit/output/table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const GRANT_COLUMNS: readonly Column<Grant>[] = [
	...fields("id", "user_id", "plan_key", "until", "reason", "granted_by", "ended_at"),
];

const ADVICE = {
	not_found: "See who is connected: svc users list; what a user is given: svc users get <id>",
	forbidden: "Only the App's Owner and operators give plans; an operator's sign-in has to be fresh: svc login",
	state_conflict: "See how it is now: svc users list, svc plans list",
};

const USER = takes.id("User id");

export const grant = shows({
	summary: "Give a user a plan for nothing",
	notes: "In the place of what they were given before. What they pay for goes before it.",
	examples: ["svc plans grant usr_1 gold --until 2027-06-30T00:00:00Z --reason 'Thank you for testing'"],
	args: {
		user: USER,
		plan: takes.word("The plan's key: svc plans list"),
		until: takes.demanded("When it ends, within 365 days", "date"),
		reason: takes.demanded("Why; the user reads it", "text"),
	},
	columns: GRANT_COLUMNS,
	advice: ADVICE,
	from: "app",
	send:
		({ args: { user, plan, until, reason } }) =>
		(app, options) =>
			app.users.grant(user, { planKey: plan, until, reason }, options),
});

export const ungrant = shows({
	summary: "Take back a plan that a user was given",
	notes: "Asks first, unless --yes is given.",
	examples: ["svc plans ungrant usr_1 --yes"],
	args: { user: USER },
	columns: GRANT_COLUMNS,
	advice: ADVICE,
	from: "app",
	send:
		({ args: { user } }, context) =>
		async (app, options) => {
			await confirm(context, `Take back what ${user} was given?`);
			return await app.users.ungrant(user, options);
		},
});
