import { GRANTED_ROLES } from "@svc/sdk/lists";
import type { GrantedRole, Invite, Member } from "@svc/sdk/shapes";
import { type Command, type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { type ChosenApp, chosenApp } from "../../kit/context.ts";
import { EXIT, LocalError, UsageError } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { removeEach, tombstoneColumns } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const MEMBER_COLUMNS: readonly Column<Member>[] = [
	...fields("id"),
	{ name: "email", value: (member) => member.email, shrinks: true },
	...fields("role", "created_at"),
];

const SEE = "See who is in the team: svc members list";

/** Advice for a refusal that is about members. */
const MEMBER_ADVICE: Advice = {
	not_found: SEE,
	state_conflict: "Where keys are named, add --revoke-keys; the Owner changes with: svc apps transfer <id> <member>",
};

const ROLE_WORDS = GRANTED_ROLES.join("|");

const list = defineCommand({
	summary: "List an App's team",
	notes: pipeNote(MEMBER_COLUMNS),
	examples: ["svc members list", "svc members list --app app_1 -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await chosenApp(context);
		return printList(context, MEMBER_COLUMNS, args, app.members.list);
	},
});

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const INVITE_COLUMNS: readonly Column<Invite>[] = [
	...fields("id"),
	{ name: "email", value: (invite) => invite.email, shrinks: true },
	...fields("role", "expires_at", "created_at"),
];

const MADE_INVITE_COLUMNS: readonly Column<Invite & { readonly token: string }>[] = [
	...INVITE_COLUMNS,
	...fields("token"),
];

const createInvite = inviteCommand("svc invites create");
const invite = inviteCommand("svc members invite");

const role = defineCommand({
	summary: "Give a member another role",
	notes: "Below Admin nobody holds keys: theirs die, which --revoke-keys must allow, and then it asks first.",
	examples: ["svc members edit ada@example.com editor", "svc members edit acc_1 viewer --revoke-keys --yes"],
	args: {
		member: { type: "positional", required: true, valueHint: "id|email", description: "Account id or e-mail address" },
		role: { type: "positional", required: true, description: ROLE_WORDS },
		"revoke-keys": { type: "boolean", description: "Revoke the keys that they made, for good" },
	},
	async run({ args }, context) {
		const { out, process } = context;
		const wanted = readRole(args.role);
		const revokeKeys = args["revoke-keys"] === true;
		const team = await chosenApp(context);
		const id = await memberId(args.member, team, context);
		if (revokeKeys) await confirm(context, `Make ${args.member} ${wanted} and revoke their keys for good?`);
		const { members } = team.app;
		const member = await advising(MEMBER_ADVICE, () =>
			members.changeRole(id, wanted, revokeKeys, { signal: process.signal }),
		);
		await out.record(MEMBER_COLUMNS, member);
		return EXIT.ok;
	},
});

const remove = defineCommand({
	summary: "Take somebody out of the team; oneself: leave it",
	notes: "Asks first, unless --yes is given. Keys that they made die with it, which --revoke-keys must allow.",
	examples: ["svc members delete ada@example.com --yes", "svc members delete acc_1 --revoke-keys --yes"],
	args: {
		member: { type: "positional", required: true, valueHint: "id|email", description: "Account id or e-mail address" },
		"revoke-keys": { type: "boolean", description: "Revoke the keys that they made, for good" },
	},
	async run({ args }, context) {
		const { out, process } = context;
		const revokeKeys = args["revoke-keys"] === true;
		const team = await chosenApp(context);
		const id = await memberId(args.member, team, context);
		const keys = revokeKeys ? " and revoke their keys for good" : "";
		await confirm(context, `Take ${args.member} out of the team of ${team.appId}${keys}?`);
		const { members } = team.app;
		const gone = await advising(MEMBER_ADVICE, () => members.delete(id, revokeKeys, { signal: process.signal }));
		await out.record(tombstoneColumns("removed"), gone);
		return EXIT.ok;
	},
});

const listInvites = defineCommand({
	summary: "List invites that nobody has accepted, expired ones too",
	notes: pipeNote(INVITE_COLUMNS),
	examples: ["svc invites list", "svc invites list --app app_1 --field email"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await chosenApp(context);
		return printList(context, INVITE_COLUMNS, args, app.invites.list);
	},
});

const INVITE_ADVICE = { not_found: "See which are open: svc invites list" };

const revokeInvites = defineCommand({
	summary: "Take invites back",
	notes: "JSON is an array, also for one invite.",
	examples: ["svc invites delete inv_1", "svc invites delete inv_1 inv_2"],
	args: {},
	rest: { name: "id", description: "Invite ids", required: true, valueHint: "id" },
	async run({ rest }, context) {
		const { signal } = context.process;
		const { app } = await chosenApp(context);
		const remove = (id: string) => advising(INVITE_ADVICE, () => app.invites.delete(id, { signal }));
		return removeEach({ ids: rest, verb: "revoked", remove }, context);
	},
});

export const MEMBER_COMMANDS = { list, invite, edit: role, delete: remove };

export const INVITE_COMMANDS = { list: listInvites, create: createInvite, delete: revokeInvites };

/** The same command under two names: people look for it among the members, too. */
function inviteCommand(name: string): Command {
	return defineCommand({
		summary: "Invite somebody into the team, by mail",
		notes:
			"The mail holds a link with the token, which is also printed, this once. An open invite of the same address is replaced.",
		examples: [`${name} ada@example.com --role editor`, `${name} ada@example.com --role viewer --app app_1`],
		args: {
			email: { type: "positional", required: true, description: "E-mail address" },
			role: { type: "string", valueHint: ROLE_WORDS, description: "What they may do; default: viewer" },
		},
		async run({ args }, context) {
			const { out, process } = context;
			const role = readRole(args.role ?? "viewer");
			const { app } = await chosenApp(context);
			const advice = { state_conflict: "See who is in the team: svc members list" };
			const invite = await advising(advice, () => app.invites.create(args.email, role, { signal: process.signal }));
			await out.record(MADE_INVITE_COLUMNS, invite);
			return EXIT.ok;
		},
	});
}

/** @throws UsageError */
function readRole(word: string): GrantedRole {
	const role = GRANTED_ROLES.find((known) => known === word);
	if (role !== undefined) return role;
	const owner = word === "owner" ? " The Owner changes with: svc apps transfer <id> <member>" : "";
	throw new UsageError(`"${word}" is no role: ${GRANTED_ROLES.join(", ")}.${owner}`);
}

/** The member that an account id or an e-mail address names. @throws LocalError for an address that no member has */
async function memberId(word: string, { app }: ChosenApp, { process }: Context): Promise<string> {
	if (!word.includes("@")) return word;
	for await (const { id, email } of app.members.all({ signal: process.signal })) {
		if (email.toLowerCase() === word.toLowerCase()) return id;
	}
	throw new LocalError(`Nobody in the team has the address ${word}.`, SEE, EXIT.missing);
}
