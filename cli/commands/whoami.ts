import { clientAs } from "../context.ts";
import { EXIT, LocalError } from "../exit.ts";
import { say } from "../handover.ts";
import { type Context, defineLeaf } from "../leaf.ts";
import { columnsFor, findPerson, IDENTITY_COLUMNS, type Identity } from "./identity.ts";

async function readIdentity(context: Context): Promise<Identity> {
	const { credentials, management, world } = context;
	const { apiKey, token, baseUrl, session: known, source } = await credentials();
	const { signal } = world;
	const key = apiKey && (await (await clientAs(context, { baseUrl, secret: apiKey })).key.get({ signal }));
	const person = token && (await findPerson(await management(), { token, session: known }, signal));
	const { account = null, session = null } = person || {};
	if (token !== undefined && account === null) await say(context, "The sign-in of this profile has ended: svc login");
	const first = key || account;
	if (first) return { ...first, base_url: baseUrl, source, account, session };
	throw new LocalError(`The sign-in of ${source} has ended.`, "Sign in again: svc login", EXIT.auth);
}

export const whoami = defineLeaf({
	summary: "Show the key in use and what it reaches, and who is signed in",
	examples: ["svc whoami", "svc whoami --field app.name"],
	args: {},
	async run(_given, context) {
		const { globals, out, world } = context;
		const identity = await readIdentity(context);
		const isForPeople = globals.format === "table" || (globals.format === undefined && world.out.isTerminal);
		await out.record(isForPeople ? columnsFor(identity) : IDENTITY_COLUMNS, identity);
		return EXIT.ok;
	},
});
