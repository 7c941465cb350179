import { SCOPES } from "@svc/sdk/lists";
import type { NewToken } from "@svc/sdk/management";
import type { Scope, Token } from "@svc/sdk/shapes";
import { HANDOVER_ARGS, openHandover } from "../../handover/handover.ts";
import { makeAndGive } from "../../handover/make.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { EXIT, UsageError } from "../../kit/exit.ts";
import { didYouMean } from "../../kit/line/choice.ts";
import { checkDuration } from "../../kit/line/times.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const TOKEN_COLUMNS: readonly Column<Token>[] = [
	...fields("id"),
	{ name: "name", value: (token) => token.name, shrinks: true },
	{ name: "scopes", value: (token) => token.scopes.join(","), shrinks: true },
	{ name: "app", value: (token) => token.app_id },
	...fields("expires_at", "last_used_at"),
	{ name: "created_at", value: (token) => token.created_at, hidden: true },
];

const list = defineCommand({
	summary: "List your own tokens, newest first",
	notes: `Signed in with a token: itself and those that it made.\n${pipeNote(TOKEN_COLUMNS)}`,
	examples: ["svc tokens list", "svc tokens list --all -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { tokens } = await context.management();
		return printList(context, TOKEN_COLUMNS, args, (page) => tokens.list(page));
	},
});

const NOUNS = [...new Set(SCOPES.map((scope) => scope.slice(0, scope.indexOf(":"))))];
const DEFAULT_LIFE = "90d";
const LIFE = { minSeconds: 1, maxSeconds: 365 * 86_400, takes: "a time up to 365d, such as 12h or 90d" };
const ADVICE = { forbidden: "Ask for fewer scopes; operators confirm that it is them with: svc login --step-up" };

const create = defineCommand({
	summary: "Make a token for scripts; its secret is shown this once",
	notes:
		"With --app the token reaches that App only. A token can make weaker ones only, which end with it.\n" +
		"The secret goes to standard output, or with --secret-file into a new file, or with --exec to a command's standard input.",
	examples: [
		"svc tokens create ci --scope images:read --scope images:write",
		"svc tokens create reports --scope audit:read --app app_1 --expires-in 30d --field secret",
	],
	args: {
		name: { type: "positional", required: true, description: "What the token is called" },
		scope: {
			type: "string",
			valueHint: "scope",
			description: `What it is for: ${NOUNS.join(", ")}, with :read or :write; images:delete shows agents the tool that deletes`,
		},
		"expires-in": { type: "string", valueHint: "90d", description: `At most 365d; default: ${DEFAULT_LIFE}` },
		...HANDOVER_ARGS,
	},
	repeatable: ["scope"],
	async run({ args, all }, context) {
		const { globals } = context;
		const expiresIn = checkDuration("--expires-in", args["expires-in"] ?? DEFAULT_LIFE, LIFE);
		const token: NewToken = { name: args.name, scopes: readScopes(all("scope")), app: globals.app, expiresIn };
		await make(token, args, context);
		return EXIT.ok;
	},
});

const revoke = defineCommand({
	summary: "Revoke tokens, and all that they made",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one token.",
	examples: ["svc tokens delete tok_1 --yes", "svc tokens delete tok_1 tok_2 --yes"],
	args: {},
	rest: { name: "id", description: "Token ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				before: (ids) => confirm(context, `Revoke ${counted("token", ids)} for good?`),
				remove: async (id) => (await context.management()).tokens.delete(id, { signal: context.process.signal }),
			},
			context,
		),
});

export const TOKEN_COMMANDS = { list, create, delete: revoke };

async function make(token: NewToken, args: Parameters<typeof openHandover>[0], context: Context): Promise<void> {
	const handover = await openHandover(args, TOKEN_COLUMNS, context);
	const { tokens } = await context.management();
	await makeAndGive(
		{
			make: () => advising(ADVICE, () => tokens.create(token)),
			revoke: (id) => tokens.delete(id),
			revokeCommand: (id) => `svc tokens delete ${id}`,
			handover,
		},
		context,
	);
}

/** @throws UsageError */
function readScopes(words: readonly string[]): readonly Scope[] {
	const asked = [...new Set(words.flatMap((word) => word.split(",")))];
	if (asked.length === 0) throw new UsageError("A token needs a scope.", `--scope takes: ${SCOPES.join(", ")}`);
	return asked.map((word) => {
		const scope = SCOPES.find((known) => known === word);
		if (scope !== undefined) return scope;
		throw new UsageError(`There is no scope "${word}".${didYouMean(word, SCOPES)}`, `Scopes: ${SCOPES.join(", ")}`);
	});
}
