import type { ConnectedUser } from "@svc/sdk/management-types";
import type { Advice } from "../../advice.ts";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const USER_COLUMNS: readonly Column<ConnectedUser>[] = [
	{ name: "id", value: (user) => user.id },
	{ name: "email", value: (user) => user.email, shrinks: true },
	{ name: "state", value: (user) => user.state },
	{ name: "images", value: (user) => user.images },
	{ name: "bytes", value: (user) => user.bytes },
	{ name: "created_at", value: (user) => user.created_at },
];

/** One user, all of it. */
export const USER_DETAILS: readonly Column<ConnectedUser>[] = [
	...USER_COLUMNS,
	{ name: "verified", value: (user) => user.verified },
	{ name: "access", value: (user) => user.access },
];

/** Who is connected is shown only while hosted sign-in is on. */
export const USER_ADVICE: Advice = {
	not_found: "See who is connected: svc users list; while sign-in is off nobody is shown: svc apps sign-in on <id>",
};
