import { EXIT, LocalError } from "@svc/base/processes/exit";
import { say } from "../../handover/handover.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { clientAs } from "../../kit/context.ts";
import { SUMMARIES } from "../summaries.ts";
import { columnsFor, findPerson, IDENTITY_COLUMNS, type Identity } from "./identity.ts";

export const whoami = defineCommand({
	summary: SUMMARIES.whoami,
	examples: ["svc whoami", "svc whoami --field app.name"],
	args: {},
	async run(_given, context) {
		const { globals, out, process } = context;
		const identity = await readIdentity(context);
		const isForPeople = globals.format === "table" || (globals.format === undefined && process.out.isTerminal);
		await out.record(isForPeople ? columnsFor(identity) : IDENTITY_COLUMNS, identity);
	},
});

async function readIdentity(context: Context): Promise<Identity> {
	const { credentials, management, process } = context;
	const { apiKey, token, baseUrl, session: known, source } = await credentials();
	const { signal } = process;
	const key = apiKey && (await (await clientAs(context, { baseUrl, secret: apiKey })).key.get({ signal }));
	const person = token && (await findPerson(await management(), { token, session: known }, signal));
	const { account = null, session = null } = person || {};
	if (token !== undefined && account === null) await say(context, "The sign-in of this profile has ended: svc login");
	const first = key || account;
	if (first) return { ...first, base_url: baseUrl, source, account, session };
	throw new LocalError(`The sign-in of ${source} has ended.`, "Sign in again: svc login", EXIT.auth);
}
