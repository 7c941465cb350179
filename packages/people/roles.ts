/** Lowest first: each may do what those before it may (specification, "Authentication" 7). */
export const ROLES = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** What an invite or a change of role may give: there is one Owner, and only a transfer makes another one. */
export const GIVABLE_ROLES = ["viewer", "editor", "admin"] as const;
export type GivableRole = (typeof GIVABLE_ROLES)[number];

export function isAtLeast(role: Role, needed: Role): boolean {
	return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
