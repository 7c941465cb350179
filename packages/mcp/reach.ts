/* What a caller's tools may do. The service judges each call all the same: a tool that nobody may call is not shown, that is all. */

export type Need = "read" | "write" | "events" | "delete";

export type Reach = ReadonlySet<Need>;

/** Of a token. Nothing but `images:delete` shows the tool that deletes: whoever makes a token for an agent asks for that by name. */
export function reachOfScopes(scopes: Iterable<string>): Reach {
	const has = new Set(scopes);
	const reach = new Set<Need>();
	if (has.has("images:read") || has.has("images:write")) reach.add("read");
	if (has.has("images:write")) reach.add("write");
	if (has.has("images:write") && has.has("images:delete")) reach.add("delete");
	if (has.has("events:read") || has.has("events:write")) reach.add("events");
	return reach;
}

/** Of an App's key, which never deletes here. Only a key of the whole App reads its events. */
export function reachOfKey({
	permissions,
	reach,
}: {
	readonly permissions: readonly string[];
	readonly reach: string;
}) {
	const needs: Need[] = [];
	if (permissions.includes("read")) needs.push("read");
	if (permissions.includes("read") && reach === "app") needs.push("events");
	if (permissions.includes("write")) needs.push("write");
	return new Set(needs);
}

/** Of somebody who has signed in with a code. */
export const REACH_OF_SESSION: Reach = new Set<Need>(["read", "write", "events"]);

/** Without what changes anything. */
export function readingOnly(reach: Reach): Reach {
	return new Set([...reach].filter((need) => need === "read" || need === "events"));
}

/** Which token opens a tool. */
export const LACKED: Readonly<Record<Need, string>> = {
	read: "It takes a token with the scope images:read.",
	write: "It takes a token with the scope images:write.",
	events: "It takes a token with the scope events:read, or a key of the whole App.",
	delete: "It takes a token with the scopes images:write and images:delete; a key or a session does not open it.",
};
