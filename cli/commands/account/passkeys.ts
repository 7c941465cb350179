import type { Passkey } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Passkey>[] = [
	...fields("id"),
	{ name: "name", value: (passkey) => passkey.name, shrinks: true },
	...fields("last_used_at", "created_at"),
];

const list = defineCommand({
	summary: "List your own passkeys, newest first",
	notes: `For a session, not a token. A browser adds them: {web_url}/account/passkeys.\n${pipeNote(COLUMNS)}`,
	examples: ["svc account passkeys list", "svc account passkeys list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { me } = await context.management();
		return printList(context, COLUMNS, args, (page) => me.passkeys.list(page));
	},
});

const remove = defineCommand({
	summary: "Remove passkeys of your own: nobody signs in with them any more",
	notes:
		"The code by mail stays a way in. Asks first, unless --yes is given. JSON is an array, also for one passkey.\n" +
		"The device goes on showing it until it is deleted there as well.",
	examples: ["svc account passkeys delete psk_1 --yes", "svc account passkeys delete psk_1 psk_2 --yes"],
	args: {},
	rest: { name: "id", description: "Passkey ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				before: (ids) => confirm(context, `Remove ${counted("passkey", ids)} for good?`),
				remove: async (id) => (await context.management()).me.passkeys.delete(id, { signal: context.process.signal }),
			},
			context,
		),
});

export const PASSKEY_COMMANDS = { list, delete: remove };
