import type { SigningKey } from "@svc/sdk/shapes";
import { HANDOVER_ARGS, openHandover } from "../../handover/handover.ts";
import { makeAndGive } from "../../handover/make.ts";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const SIGNING_KEY_COLUMNS: readonly Column<SigningKey>[] = [
	...fields("id"),
	{ name: "name", value: ({ name }) => name, shrinks: true },
	...fields("last4", "created_at"),
];

const ADVICE: Advice = {
	not_found: "See which there are: svc signing-keys list",
	validation_error: "See which there are: svc signing-keys list",
};

const list = defineCommand({
	summary: "List the signing keys of an App, never their secrets",
	notes: pipeNote(SIGNING_KEY_COLUMNS),
	examples: ["svc signing-keys list", "svc signing-keys list --app app_1 --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await chosenApp(context);
		return printList(context, SIGNING_KEY_COLUMNS, args, app.signingKeys.list);
	},
});

const create = defineCommand({
	summary: "Make a signing key; its secret is shown this once",
	notes:
		"Each of an App's signing keys signs: to change one, make another, sign with it, and remove the old one a while later.\n" +
		"The secret goes to standard output, or with --secret-file into a new file, or with --exec to a command's standard input.",
	examples: [
		"svc signing-keys create web --field secret",
		"svc signing-keys create web --exec 'vault kv put app/svc signing=-'",
	],
	args: { name: { type: "positional", required: true, description: "What the key is called" }, ...HANDOVER_ARGS },
	async run({ args }, context) {
		const { name } = args;
		const { app } = await chosenApp(context);
		const handover = await openHandover(args, SIGNING_KEY_COLUMNS, context);
		await makeAndGive(
			{
				make: () => advising(ADVICE, () => app.signingKeys.create(name)),
				revoke: (id) => app.signingKeys.delete(id),
				revokeCommand: (id) => `svc signing-keys delete ${id}`,
				handover,
			},
			context,
		);
		return EXIT.ok;
	},
});

const rm = defineCommand({
	summary: "Remove signing keys; the addresses that they signed are not answered any more",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one key.",
	examples: ["svc signing-keys delete sgk_1 --yes", "svc signing-keys delete sgk_1 sgk_2 --yes"],
	args: {},
	rest: { name: "id", description: "Signing key ids", required: true, valueHint: "id" },
	async run({ rest }, context) {
		const { signal } = context.process;
		const { app } = await chosenApp(context);
		return removeEach(
			{
				ids: rest,
				verb: "removed",
				before: (ids) => confirm(context, `End all that was signed with ${counted("signing key", ids)}?`),
				remove: (id) => advising(ADVICE, () => app.signingKeys.delete(id, { signal })),
			},
			context,
		);
	},
});

export const SIGNING_KEY_COMMANDS = { list, create, delete: rm };
