import { USER } from "@svc/nouns/user";
import type { Client } from "@svc/sdk/client";
import type { ConnectedUser } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirmAbout } from "../../kit/confirm.ts";
import { givenFilters } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { followJob, JOB_ARGS } from "../../kit/work/follow-job.ts";

/** Who is connected is shown only while hosted sign-in is on. */
const USER_ADVICE: Advice = {
	not_found: "See who is connected: svc users list; while sign-in is off nobody is shown: svc apps sign-in on <id>",
};

/** As the person who is signed in, or where nobody is with the App's key. */
async function readableUsers(context: Context): Promise<Pick<Client["users"], "list" | "get">> {
	const { token, apiKey } = await context.credentials();
	const { users } = token === undefined && apiKey !== undefined ? await context.client() : await context.app();
	return users;
}

const list = defineCommand({
	summary: "List the people who are connected to an App",
	notes: `${pipeNote(USER.list)} The id is what --user takes.\nNobody is shown while hosted sign-in is off: svc apps sign-in on <id>`,
	examples: ["svc users list", "svc users list --email ada@example.com --field id"],
	args: { ...LIST_ARGS, email: takes.text("Only whoever has this address", "address") },
	async run({ args }, context) {
		const users = await readableUsers(context);
		return printList(context, USER.list, args, (page) =>
			users.list({ ...page, ...givenFilters({ email: args.email }) }),
		);
	},
});

const get = defineCommand({
	summary: "Show one connected user and what they have bought",
	examples: ["svc users get usr_1", "svc users get usr_1 --field images"],
	args: { id: takes.id("User id") },
	async run({ args: { id } }, context) {
		const users = await readableUsers(context);
		const user = await advising(USER_ADVICE, () => users.get(id, { signal: context.process.signal }));
		await context.out.record(USER.detail, user);
	},
});

const disconnect = defineCommand({
	summary: "End a user's connection and delete the pictures that the App keeps for them",
	notes: "Says how many pictures go and asks first, unless --yes is given. Ctrl-C stops the waiting, not the job.",
	examples: ["svc users disconnect usr_1 --yes", "svc users disconnect usr_1 --yes --no-wait"],
	args: { id: takes.id("User id"), ...JOB_ARGS },
	async run({ args }, context) {
		const { process } = context;
		const { id } = args;
		const app = await context.app();
		const { signal } = process;
		const { users } = app;
		await advising(USER_ADVICE, () => confirmAbout(context, async () => question(await users.get(id, { signal }))));
		const job = await advising(USER_ADVICE, () => users.disconnect(id, { signal }));
		return followJob(context, job, args["no-wait"] === true);
	},
});

export const USER_COMMANDS = { list, get, disconnect };

function question({ id, email, images }: ConnectedUser): string {
	const pictures = images === 1 ? "the picture" : `all ${images} pictures`;
	return `Disconnect ${email} (${id}) and delete ${pictures} that the App keeps for them, for good?`;
}
