const NOUNS = ["apps", "keys", "users", "plans", "images", "audit", "moderation", "operator"] as const;

/** What a token may be used for; a session may do all that its account may. */
export type Scope = `${(typeof NOUNS)[number]}:${"read" | "write"}`;

export const SCOPES: readonly Scope[] = NOUNS.flatMap((noun): Scope[] => [`${noun}:read`, `${noun}:write`]);

/** Of a noun, `write` includes `read`. */
export function hasScope(scopes: ReadonlySet<Scope> | null, needed: Scope): boolean {
	return scopes === null || scopes.has(needed) || scopes.has(needed.replace(":read", ":write") as Scope);
}
