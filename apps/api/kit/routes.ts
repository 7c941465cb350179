/** A registered route, as a request's method and path are compared with it. */
export interface RegisteredRoute {
	readonly method: string;
	readonly pattern: RegExp;
}

/** A word where an id belongs, as in `/v1/apps/presets`, is no address. */
export function patternOf(path: string): RegExp {
	const parts = path.replace(/:[a-z]+/g, (name) => (name === ":token" ? "[^/]+" : "[a-z]{3}_[^/]+"));
	return new RegExp(`^${parts.replace("*", ".+")}$`);
}

/**
 * The address at which a GET shows what a call of this path changes: itself, or the nearest one above it. Undefined where there is none,
 * as for a sign-in.
 */
export function seenAt(path: string, routes: readonly RegisteredRoute[]): string | undefined {
	for (let at = path; at.length > 0; at = at.slice(0, at.lastIndexOf("/"))) {
		if (routes.some(({ method, pattern }) => method === "GET" && pattern.test(at))) return at;
	}
	return undefined;
}
