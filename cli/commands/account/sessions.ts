import type { Ended, Session } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { EXIT } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";

const COLUMNS: readonly Column<Session>[] = [
	...fields("id", "kind"),
	{ name: "device", value: (session) => session.device, shrinks: true },
	...fields("last_used_at", "expires_at"),
	{ name: "fresh_until", value: (session) => session.fresh_until, hidden: true },
	{ name: "created_at", value: (session) => session.created_at, hidden: true },
	...fields("network"),
	{ name: "current", value: (session) => session.current },
];

const list = defineCommand({
	summary: "List your own sessions, newest first",
	notes: `For a session, not a token; \`current\` is the one in use.\n${pipeNote(COLUMNS)}`,
	examples: ["svc sessions list", "svc sessions list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { sessions } = await context.management();
		return printList(context, COLUMNS, args, (page) => sessions.list(page));
	},
});

const end = defineCommand({
	summary: "End sessions of your own, at once",
	notes:
		"Whoever uses them has to sign in again. Asks first, unless --yes is given. JSON is an array, also for one session.",
	examples: ["svc sessions delete ses_1 --yes", "svc sessions delete ses_1 ses_2 --yes"],
	args: {},
	rest: { name: "id", description: "Session ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				before: (ids) => confirm(context, `End ${counted("session", ids)}?`),
				remove: async (id) => (await context.management()).sessions.delete(id, { signal: context.process.signal }),
			},
			context,
		),
});

const ENDED_COLUMNS: readonly Column<Ended>[] = fields("sessions", "tokens");

const endOthers = defineCommand({
	summary: "End all your other sessions and your tokens, at once",
	notes:
		"For when a device is lost, or somebody else may have got in. The session in use stays. Asks first, unless --yes is given.",
	examples: ["svc sessions end-others --yes", "svc sessions end-others --keep-tokens --yes"],
	args: { "keep-tokens": { type: "boolean", description: "Leave tokens as they are" } },
	async run({ args }, context) {
		const { out, process } = context;
		const keepTokens = args["keep-tokens"] === true;
		await confirm(context, `End all other sessions${keepTokens ? "" : " and all tokens"}?`);
		const { sessions } = await context.management();
		await out.record(ENDED_COLUMNS, await sessions.endOthers({ keepTokens }, { signal: process.signal }));
		return EXIT.ok;
	},
});

export const SESSION_COMMANDS = { list, delete: end, "end-others": endOthers };
