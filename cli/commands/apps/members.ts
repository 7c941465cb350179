import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { GRANTED_ROLES } from "@svc/sdk/lists";
import type { GrantedRole, Invite, Member } from "@svc/sdk/shapes";
import type { CallOptions } from "@svc/sdk/wire/request";
import type { Calls, Command } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import type { Advice } from "../../kit/refusal.ts";
import { removes, tombstoneColumns } from "../../kit/work/removal.ts";

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

const list = lists({
	summary: "List an App's team",
	examples: ["svc members list", "svc members list --app app_1 -o jsonl"],
	columns: MEMBER_COLUMNS,
	from: "app",
	pages: () => (app) => app.members.list,
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

const MEMBER_ARGS = { member: takes.word("Account id or e-mail address", "id|email") };
const REVOKE_KEYS = { "revoke-keys": takes.flag("Revoke the keys that they made, for good") };

const role = shows({
	summary: "Give a member another role",
	notes: "Below Admin nobody holds keys: theirs die, which --revoke-keys must allow, and then it asks first.",
	examples: ["svc members edit ada@example.com editor", "svc members edit acc_1 viewer --revoke-keys --yes"],
	args: { ...MEMBER_ARGS, role: takes.word(ROLE_WORDS), ...REVOKE_KEYS },
	columns: MEMBER_COLUMNS,
	advice: MEMBER_ADVICE,
	from: "app",
	send: ({ args }, context) => {
		const wanted = readRole(args.role);
		const revokeKeys = args["revoke-keys"] === true;
		return async ({ members }, options) => {
			const id = await memberId(args.member, members, options);
			if (revokeKeys) await confirm(context, `Make ${args.member} ${wanted} and revoke their keys for good?`);
			return await members.changeRole(id, wanted, revokeKeys, options);
		};
	},
});

const remove = shows({
	summary: "Take somebody out of the team; oneself: leave it",
	notes: "Asks first, unless --yes is given. Keys that they made die with it, which --revoke-keys must allow.",
	examples: ["svc members delete ada@example.com --yes", "svc members delete acc_1 --revoke-keys --yes"],
	args: { ...MEMBER_ARGS, ...REVOKE_KEYS },
	columns: tombstoneColumns("removed"),
	advice: MEMBER_ADVICE,
	from: "app",
	send:
		({ args }, context) =>
		async ({ members }, options) => {
			const revokeKeys = args["revoke-keys"] === true;
			const id = await memberId(args.member, members, options);
			const keys = revokeKeys ? " and revoke their keys for good" : "";
			await confirm(context, `Take ${args.member} out of the team of ${await context.appId()}${keys}?`);
			return await members.delete(id, revokeKeys, options);
		},
});

const listInvites = lists({
	summary: "List invites that nobody has accepted, expired ones too",
	examples: ["svc invites list", "svc invites list --app app_1 --field email"],
	columns: INVITE_COLUMNS,
	from: "app",
	pages: () => (app) => app.invites.list,
});

const revokeInvites = removes({
	summary: "Take invites back",
	notes: "JSON is an array, also for one invite.",
	examples: ["svc invites delete inv_1", "svc invites delete inv_1 inv_2"],
	rest: takes.ids("Invite ids"),
	verb: "revoked",
	noun: "invite",
	advice: { not_found: "See which are open: svc invites list" },
	from: "app",
	remove: (app, id, options) => app.invites.delete(id, options),
});

export const MEMBER_COMMANDS = { list, invite, edit: role, delete: remove };

export const INVITE_COMMANDS = { list: listInvites, create: createInvite, delete: revokeInvites };

/** The same command under two names: people look for it among the members, too. */
function inviteCommand(name: string): Command {
	return shows({
		summary: "Invite somebody into the team, by mail",
		notes:
			"The mail holds a link with the token, which is also printed, this once. An open invite of the same address is replaced.",
		examples: [`${name} ada@example.com --role editor`, `${name} ada@example.com --role viewer --app app_1`],
		args: { email: takes.word("E-mail address"), role: takes.text("What they may do; default: viewer", ROLE_WORDS) },
		columns: MADE_INVITE_COLUMNS,
		advice: { state_conflict: SEE },
		from: "app",
		send: ({ args }) => {
			const role = readRole(args.role ?? "viewer");
			return (app, options) => app.invites.create(args.email, role, options);
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
async function memberId(word: string, members: Calls<"app">["members"], options: CallOptions): Promise<string> {
	if (!word.includes("@")) return word;
	for await (const { id, email } of members.all(options)) if (email.toLowerCase() === word.toLowerCase()) return id;
	throw new LocalError(`Nobody in the team has the address ${word}.`, SEE, EXIT.missing);
}
