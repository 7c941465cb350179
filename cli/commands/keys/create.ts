import type { NewKey } from "@svc/sdk/app-team";
import { oneOf } from "../../choice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { HANDOVER_ARGS, openHandover } from "../../handover.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { KEY_DETAILS } from "./columns.ts";
import { makeKey } from "./new-key.ts";

/** @throws UsageError */
function readPermissions(sent: string | undefined): NewKey["permissions"] {
	if (sent === undefined) return ["read", "write"];
	const words = [...new Set(sent.split(","))];
	if (words.every((word) => word === "read" || word === "write")) return words;
	throw new UsageError(`--permissions takes read, write or read,write; not "${sent}".`);
}

export const create = defineLeaf({
	summary: "Make a key; its secret is shown this once",
	notes:
		"The secret goes to standard output, or with --secret-file into a new file, or with --exec to a command's standard input,\n" +
		"without a line's end. When it cannot be handed over, the key is revoked again.",
	examples: [
		"svc keys create deploy",
		"svc keys create reports --permissions read --expires-at 2026-06-30 --field secret",
		"svc keys create deploy --reach bucket --exec 'vault kv put app/svc key=-'",
	],
	args: {
		name: { type: "positional", required: true, description: "What the key is called" },
		reach: {
			type: "string",
			valueHint: "app|bucket",
			description: "app: every storage of the App (the default); bucket: the App storage alone",
		},
		permissions: { type: "string", valueHint: "read,write", description: "What it may do; default: read,write" },
		"expires-at": {
			type: "string",
			valueHint: "date",
			description: "ISO 8601, at most a year from now; default: until revoked",
		},
		...HANDOVER_ARGS,
	},
	async run({ args }, context) {
		const { globals, out } = context;
		const permissions = readPermissions(args.permissions);
		const key: NewKey = {
			name: args.name,
			reach: oneOf("--reach", args.reach ?? "app", ["app", "bucket"]),
			permissions,
			expiresAt: args["expires-at"],
		};
		const team = await teamOf(context);
		const handover = await openHandover(args, KEY_DETAILS, context);
		if (globals.dryRun) {
			await out.note(`${handover.plan}, once there is a key.`);
			const { expiresAt: expires_at, ...others } = key;
			return showPlan(out, [{ method: "POST", path: team.path("keys"), body: { ...others, expires_at } }]);
		}
		await handover.show(await makeKey({ make: () => team.app.keys.create(key), handover }, team, context));
		return EXIT.ok;
	},
});
