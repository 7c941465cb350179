import type { Ended, Session } from "@svc/sdk/shapes";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { removes } from "../../kit/work/removal.ts";

const COLUMNS: readonly Column<Session>[] = [
	...fields("id", "kind"),
	{ name: "device", value: (session) => session.device, shrinks: true },
	...fields("last_used_at", "expires_at"),
	{ name: "fresh_until", value: (session) => session.fresh_until, hidden: true },
	{ name: "created_at", value: (session) => session.created_at, hidden: true },
	...fields("network"),
	{ name: "current", value: (session) => session.current },
];

const list = lists({
	summary: "List your own sessions, newest first",
	notes: `For a session, not a token; \`current\` is the one in use.\n${pipeNote(COLUMNS)}`,
	examples: ["svc sessions list", "svc sessions list --all --field id"],
	columns: COLUMNS,
	from: "management",
	pages:
		() =>
		({ sessions }) =>
			sessions.list,
});

const end = removes({
	summary: "End sessions of your own, at once",
	notes:
		"Whoever uses them has to sign in again. Asks first, unless --yes is given. JSON is an array, also for one session.",
	examples: ["svc sessions delete ses_1 --yes", "svc sessions delete ses_1 ses_2 --yes"],
	rest: takes.ids("Session ids"),
	verb: "deleted",
	noun: "session",
	question: (what) => `End ${what}?`,
	from: "management",
	remove: ({ sessions }, id, options) => sessions.delete(id, options),
});

const ENDED_COLUMNS: readonly Column<Ended>[] = fields("sessions", "tokens");

const endOthers = shows({
	summary: "End all your other sessions and your tokens, at once",
	notes:
		"For when a device is lost, or somebody else may have got in. The session in use stays. Asks first, unless --yes is given.",
	examples: ["svc sessions end-others --yes", "svc sessions end-others --keep-tokens --yes"],
	args: { "keep-tokens": takes.flag("Leave tokens as they are") },
	columns: ENDED_COLUMNS,
	from: "management",
	send: async ({ args }, context) => {
		const keepTokens = args["keep-tokens"] === true;
		await confirm(context, `End all other sessions${keepTokens ? "" : " and all tokens"}?`);
		return ({ sessions }, options) => sessions.endOthers({ keepTokens }, options);
	},
});

export const SESSION_COMMANDS = { list, delete: end, "end-others": endOthers };
