import type { NewToken } from "@svc/sdk/management";
import type { Scope } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, LocalError, UsageError } from "../../exit.ts";
import { HANDOVER_ARGS, openHandover, say } from "../../handover.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { didYouMean } from "../../suggest.ts";
import { TOKEN_COLUMNS } from "./columns.ts";

const NOUNS = ["apps", "keys", "users", "plans", "images", "audit", "moderation", "operator"] as const;
const SCOPES: readonly Scope[] = NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`] as const);
const DEFAULT_LIFE = "90d";
const ADVICE = { forbidden: "Ask for fewer scopes; operators confirm that it is them with: svc login --step-up" };

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

async function make(token: NewToken, args: Parameters<typeof openHandover>[0], context: Context): Promise<void> {
	const handover = await openHandover(args, TOKEN_COLUMNS, context);
	const { tokens } = await context.management();
	try {
		// Without the signal: who is interrupted meanwhile could not tell whether there is a token.
		const made = await advising(ADVICE, () => tokens.create(token));
		try {
			await handover.give(made);
		} catch (error) {
			// One that nobody got is not left behind.
			const revoked = await tokens.revoke(made.id).then(
				() => true,
				() => false,
			);
			if (!revoked) {
				const reason = error instanceof Error ? error.message : String(error);
				throw new LocalError(`${reason} ${made.id} is still there.`, `svc tokens revoke ${made.id}`);
			}
			await say(context, `${made.id} was revoked again.`);
			throw error;
		}
		await handover.show(made);
	} catch (error) {
		await handover.discard().catch(() => undefined);
		throw error;
	}
}

export const create = defineLeaf({
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
			description: `What it is for: ${NOUNS.join(", ")}, with :read or :write`,
		},
		"expires-in": { type: "string", valueHint: "90d", description: `At most 365d; default: ${DEFAULT_LIFE}` },
		...HANDOVER_ARGS,
	},
	repeatable: ["scope"],
	async run({ args, all }, context) {
		const { globals, out } = context;
		const expiresIn = args["expires-in"] ?? DEFAULT_LIFE;
		const token: NewToken = { name: args.name, scopes: readScopes(all("scope")), app: globals.app, expiresIn };
		if (globals.dryRun) {
			const { expiresIn: expires_in, ...others } = token;
			return showPlan(out, [{ method: "POST", path: "/v1/tokens", body: { ...others, expires_in } }]);
		}
		await make(token, args, context);
		return EXIT.ok;
	},
});
