import type { Member } from "@svc/sdk/management-types";
import type { Advice } from "../../advice.ts";
import { EXIT, LocalError, UsageError } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import type { Team } from "../../team.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const MEMBER_COLUMNS: readonly Column<Member>[] = [
	{ name: "id", value: (member) => member.id },
	{ name: "email", value: (member) => member.email, shrinks: true },
	{ name: "role", value: (member) => member.role },
	{ name: "created_at", value: (member) => member.created_at },
];

const SEE = "See who is in the team: svc members list";

/** What to do about a refusal that is about members. */
export const MEMBER_ADVICE: Advice = {
	not_found: SEE,
	state_conflict: "Where keys are named, add --revoke-keys; the Owner changes with: svc apps transfer <id> <member>",
};

const ROLES = ["viewer", "editor", "admin"] as const;
export const ROLE_WORDS = ROLES.join("|");

/** @throws UsageError */
export function readRole(word: string): (typeof ROLES)[number] {
	const role = ROLES.find((known) => known === word);
	if (role !== undefined) return role;
	const owner = word === "owner" ? " The Owner changes with: svc apps transfer <id> <member>" : "";
	throw new UsageError(`"${word}" is no role: ${ROLES.join(", ")}.${owner}`);
}

/** The member that an account id or an e-mail address names. @throws LocalError for an address that nobody has */
export async function memberId(word: string, { app }: Team, { world }: Context): Promise<string> {
	if (!word.includes("@")) return word;
	for await (const { id, email } of app.members.all({ signal: world.signal })) {
		if (email.toLowerCase() === word.toLowerCase()) return id;
	}
	throw new LocalError(`Nobody in the team has the address ${word}.`, SEE, EXIT.missing);
}
