import type { Passkey } from "@svc/sdk/shapes";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { removes } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Passkey>[] = [
	...fields("id"),
	{ name: "name", value: (passkey) => passkey.name, shrinks: true },
	...fields("last_used_at", "created_at"),
];

const list = lists({
	summary: "List your own passkeys, newest first",
	notes: `For a session, not a token. A browser adds them: {web_url}/account/passkeys.\n${pipeNote(COLUMNS)}`,
	examples: ["svc account passkeys list", "svc account passkeys list --all --field id"],
	columns: COLUMNS,
	from: "management",
	pages:
		() =>
		({ me }) =>
			me.passkeys.list,
});

const remove = removes({
	summary: "Remove passkeys of your own: nobody signs in with them any more",
	notes:
		"The code by mail stays a way in. Asks first, unless --yes is given. JSON is an array, also for one passkey.\n" +
		"The device goes on showing it until it is deleted there as well.",
	examples: ["svc account passkeys delete psk_1 --yes", "svc account passkeys delete psk_1 psk_2 --yes"],
	rest: takes.ids("Passkey ids"),
	verb: "deleted",
	noun: "passkey",
	question: (what) => `Remove ${what} for good?`,
	from: "management",
	remove: ({ me }, id, options) => me.passkeys.delete(id, options),
});

export const PASSKEY_COMMANDS = { list, delete: remove };
