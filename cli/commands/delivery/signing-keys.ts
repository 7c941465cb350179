import { SIGNING_KEY } from "@svc/nouns/delivery";
import { HANDOVER_NOTE } from "../../handover/handover.ts";
import { gives } from "../../handover/make.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import type { Advice } from "../../kit/refusal.ts";
import { removes } from "../../kit/work/removal.ts";

const SEE = "See which there are: svc signing-keys list";
const ADVICE: Advice = { not_found: SEE, validation_error: SEE };

const list = lists({
	summary: "List the signing keys of an App, never their secrets",
	examples: ["svc signing-keys list", "svc signing-keys list --app app_1 --field id"],
	columns: SIGNING_KEY.list,
	from: "app",
	pages: () => (app) => app.signingKeys.list,
});

const create = gives({
	summary: "Make a signing key; its secret is shown this once",
	notes: `Each of an App's signing keys signs: to change one, make another, sign with it, and remove the old one a while later.\n${HANDOVER_NOTE}.`,
	examples: [
		"svc signing-keys create web --field secret",
		"svc signing-keys create web --exec 'vault kv put app/svc signing=-'",
	],
	args: { name: takes.word("What the key is called") },
	columns: SIGNING_KEY.list,
	advice: ADVICE,
	from: "app",
	make:
		({ args }) =>
		(app) =>
			app.signingKeys.create(args.name),
	revoke: (app, id) => app.signingKeys.delete(id),
	revokeCommand: "svc signing-keys delete",
});

const rm = removes({
	summary: "Remove signing keys; the addresses that they signed are not answered any more",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one key.",
	examples: ["svc signing-keys delete sgk_1 --yes", "svc signing-keys delete sgk_1 sgk_2 --yes"],
	rest: takes.ids("Signing key ids"),
	verb: "removed",
	noun: "signing key",
	question: (what) => `End all that was signed with ${what}?`,
	advice: ADVICE,
	from: "app",
	remove: (app, id, options) => app.signingKeys.delete(id, options),
});

export const SIGNING_KEY_COMMANDS = { list, create, delete: rm };
