import { UsageError } from "@svc/base/processes/exit";
import { KEY } from "@svc/nouns/key";
import type { NewKey } from "@svc/sdk/calls/app-team";
import { HANDOVER_ARGS, HANDOVER_NOTE, openHandover } from "../../handover/handover.ts";
import { type Calls, type Context, defineCommand } from "../../kit/command.ts";
import { confirmAbout } from "../../kit/confirm.ts";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { removeEach } from "../../kit/work/removal.ts";
import { KEY_ADVICE, lastUse } from "./columns.ts";
import { makeKey, rotate } from "./rotate.ts";

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const list = lists({
	summary: "List an App's keys, revoked ones too, newest first",
	notes: `${pipeNote(KEY.list)} Secrets are never shown.`,
	examples: ["svc keys list", "svc keys list --app app_1 --all -o jsonl"],
	columns: KEY.list,
	from: "app",
	pages: () => (app) => app.keys.list,
});

const get = shows({
	summary: "Show one key, never its secret",
	examples: ["svc keys get key_1", "svc keys get key_1 --field last_used_at"],
	args: { id: takes.id("Key id") },
	columns: KEY.detail,
	advice: KEY_ADVICE,
	from: "app",
	send:
		({ args }) =>
		(app, options) =>
			app.keys.get(args.id, options),
});

const create = defineCommand({
	summary: "Make a key; its secret is shown this once",
	notes: `${HANDOVER_NOTE},\nwithout a line's end. When it cannot be handed over, the key is revoked again.`,
	examples: [
		"svc keys create deploy",
		"svc keys create reports --permissions read --expires-at 90d --field secret",
		"svc keys create deploy --reach bucket --exec 'vault kv put app/svc key=-'",
	],
	args: {
		name: takes.word("What the key is called"),
		reach: takes.text("app: every storage of the App (the default); bucket: the App storage alone", "app|bucket"),
		permissions: takes.text("What it may do; default: read,write", "read,write"),
		"expires-at": takes.text("ISO 8601, or 12h, 90d from now; at most a year from now; default: until revoked", "date"),
		...HANDOVER_ARGS,
	},
	async run({ args }, context) {
		const { globals, out } = context;
		const permissions = readPermissions(args.permissions);
		const key: NewKey = {
			name: args.name,
			reach: oneOf("--reach", args.reach ?? "app", ["app", "bucket"]),
			permissions,
			expiresAt: readExpiry(args["expires-at"], context.process.date()),
		};
		const app = await context.app();
		const handover = await openHandover(args, KEY.detail, context);
		if (globals.dryRun) await out.note(`${handover.plan}, once there is a key.`);
		await handover.show(await makeKey({ make: () => app.keys.create(key), handover }, app, context));
	},
});

const revoke = defineCommand({
	summary: "Revoke keys for good",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one key.",
	examples: ["svc keys delete key_1 --yes", "svc keys delete key_1 key_2 --yes"],
	args: {},
	rest: takes.ids("Key ids"),
	async run({ rest }, context) {
		const { signal } = context.process;
		const app = await context.app();
		return removeEach(
			{
				ids: rest,
				verb: "revoked",
				before: (ids) => advising(KEY_ADVICE, () => confirmAbout(context, () => question(ids, app, context))),
				remove: (id) => advising(KEY_ADVICE, () => app.keys.delete(id, { signal })),
			},
			context,
		);
	},
});

export const KEY_COMMANDS = { list, get, create, rotate, delete: revoke };

/** @throws UsageError */
function readPermissions(sent: string | undefined): NewKey["permissions"] {
	if (sent === undefined) return ["read", "write"];
	const words = [...new Set(sent.split(","))];
	if (words.every((word) => word === "read" || word === "write")) return words;
	throw new UsageError(`--permissions takes read, write or read,write; not "${sent}".`);
}

/** A date as it is, a duration as the time so long after `now`. */
function readExpiry(sent: string | undefined, now: Date): string | undefined {
	const [, amount, unit = ""] = /^(\d{1,4})([mhd])$/.exec(sent ?? "") ?? [];
	return amount === undefined ? sent : new Date(now.getTime() + Number(amount) * (UNIT_MS[unit] ?? 0)).toISOString();
}

/** Says when a single key was used last, since a program may still use it. */
async function question(ids: readonly string[], app: Calls<"app">, context: Context): Promise<string> {
	const [first = ""] = ids;
	if (ids.length > 1) return `Revoke ${ids.length} keys for good?`;
	const key = await app.keys.get(first, { signal: context.process.signal });
	return `Revoke ${first} ("${key.name}"), ${lastUse(key, context.process.date())}, for good?`;
}
