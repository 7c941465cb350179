import { UsageError } from "@svc/base/processes/exit";
import { SCOPES } from "@svc/sdk/lists";
import type { NewToken } from "@svc/sdk/management";
import type { Scope, Token } from "@svc/sdk/shapes";
import { HANDOVER_NOTE } from "../../handover/handover.ts";
import { gives } from "../../handover/make.ts";
import { didYouMean } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { checkDuration } from "../../kit/line/times.ts";
import { lists } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { removes } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const TOKEN_COLUMNS: readonly Column<Token>[] = [
	...fields("id"),
	{ name: "name", value: (token) => token.name, shrinks: true },
	{ name: "scopes", value: (token) => token.scopes.join(","), shrinks: true },
	{ name: "app", value: (token) => token.app_id },
	...fields("expires_at", "last_used_at"),
	{ name: "created_at", value: (token) => token.created_at, hidden: true },
];

const list = lists({
	summary: "List your own tokens, newest first",
	notes: `Signed in with a token: itself and those that it made.\n${pipeNote(TOKEN_COLUMNS)}`,
	examples: ["svc tokens list", "svc tokens list --all -o jsonl"],
	columns: TOKEN_COLUMNS,
	from: "management",
	pages:
		() =>
		({ tokens }) =>
			tokens.list,
});

const NOUNS = [...new Set(SCOPES.map((scope) => scope.slice(0, scope.indexOf(":"))))];
const DEFAULT_LIFE = "90d";
const LIFE = { minSeconds: 1, maxSeconds: 365 * 86_400, takes: "a time up to 365d, such as 12h or 90d" };
const ADVICE = { forbidden: "Ask for fewer scopes; operators confirm that it is them with: svc login --step-up" };

const create = gives({
	summary: "Make a token for scripts; its secret is shown this once",
	notes: `With --app the token reaches that App only. A token can make weaker ones only, which end with it.\n${HANDOVER_NOTE}.`,
	examples: [
		"svc tokens create ci --scope images:read --scope images:write",
		"svc tokens create reports --scope audit:read --app app_1 --expires-in 30d --field secret",
	],
	args: {
		name: takes.word("What the token is called"),
		scope: takes.text(
			`What it is for: ${NOUNS.join(", ")}, with :read or :write; images:delete shows agents the tool that deletes`,
			"scope",
		),
		"expires-in": takes.text(`At most 365d; default: ${DEFAULT_LIFE}`, "90d"),
	},
	repeatable: ["scope"],
	columns: TOKEN_COLUMNS,
	advice: ADVICE,
	from: "management",
	make: ({ args, all }, { globals: { app } }) => {
		const expiresIn = checkDuration("--expires-in", args["expires-in"] ?? DEFAULT_LIFE, LIFE);
		const token: NewToken = { name: args.name, scopes: readScopes(all("scope")), app, expiresIn };
		return ({ tokens }) => tokens.create(token);
	},
	revoke: ({ tokens }, id) => tokens.delete(id),
	revokeCommand: "svc tokens delete",
});

const revoke = removes({
	summary: "Revoke tokens, and all that they made",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one token.",
	examples: ["svc tokens delete tok_1 --yes", "svc tokens delete tok_1 tok_2 --yes"],
	rest: takes.ids("Token ids"),
	verb: "deleted",
	noun: "token",
	question: (what) => `Revoke ${what} for good?`,
	from: "management",
	remove: ({ tokens }, id, options) => tokens.delete(id, options),
});

export const TOKEN_COMMANDS = { list, create, delete: revoke };

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
