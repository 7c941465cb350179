import type { Token } from "@svc/sdk/management-types";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const TOKEN_COLUMNS: readonly Column<Token>[] = [
	{ name: "id", value: (token) => token.id },
	{ name: "name", value: (token) => token.name, shrinks: true },
	{ name: "scopes", value: (token) => token.scopes.join(","), shrinks: true },
	{ name: "app", value: (token) => token.app_id },
	{ name: "expires_at", value: (token) => token.expires_at },
	{ name: "last_used_at", value: (token) => token.last_used_at },
	{ name: "created_at", value: (token) => token.created_at, hidden: true },
];
