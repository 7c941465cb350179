import type { Session } from "@svc/sdk/management-types";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import type { Column } from "../../table.ts";

const COLUMNS: readonly Column<Session>[] = [
	{ name: "id", value: (session) => session.id },
	{ name: "kind", value: (session) => session.kind },
	{ name: "device", value: (session) => session.device, shrinks: true },
	{ name: "last_used_at", value: (session) => session.last_used_at },
	{ name: "expires_at", value: (session) => session.expires_at },
	{ name: "fresh_until", value: (session) => session.fresh_until, hidden: true },
	{ name: "created_at", value: (session) => session.created_at, hidden: true },
];

export const list = defineLeaf({
	summary: "List your own sessions, newest first",
	notes:
		"For a session, not a token; svc whoami tells which one is in use.\n" +
		"A pipe gets: id, kind, device, last_used_at, expires_at, fresh_until, created_at.",
	examples: ["svc sessions list", "svc sessions list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { sessions } = await context.management();
		await printList(context, COLUMNS, args, (page) => sessions.list(page));
		return EXIT.ok;
	},
});
