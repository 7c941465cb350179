import type { Invite } from "@svc/sdk/management-types";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const INVITE_COLUMNS: readonly Column<Invite>[] = [
	{ name: "id", value: (invite) => invite.id },
	{ name: "email", value: (invite) => invite.email, shrinks: true },
	{ name: "role", value: (invite) => invite.role },
	{ name: "expires_at", value: (invite) => invite.expires_at },
	{ name: "created_at", value: (invite) => invite.created_at },
];
