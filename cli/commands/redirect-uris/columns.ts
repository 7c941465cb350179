import type { RedirectUri } from "@svc/sdk/management-types";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const REDIRECT_URI_COLUMNS: readonly Column<RedirectUri>[] = [
	{ name: "id", value: (one) => one.id },
	{ name: "uri", value: (one) => one.uri },
	{ name: "created_at", value: (one) => one.created_at },
];
