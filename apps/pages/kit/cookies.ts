import { cookieName, readCookie } from "@svc/base/http/cookies";

/* The cookies of the hosted pages. */

/**
 * `flow` binds forms to the browser, `flow-<login id>` a code to the browser that asked for it; `invite-<id>` is an invite's token;
 * `language` is what somebody chose who is not signed in.
 */
export type CookieName = "flow" | "session" | "device" | "language" | `flow-${string}` | `invite-${string}`;

interface Lasting {
	/** Lifetime in seconds; when left out, the cookie ends with the browser. */
	readonly maxAge?: number;
	/** Strict: the cookie is not even sent when a link on another site leads here. */
	readonly sameSite: "Strict" | "Lax";
}

export interface CookieRules {
	read(request: Request, name: CookieName): string | null;
	/** A Set-Cookie header. */
	set(name: CookieName, value: string, lasting: Lasting): string;
	clear(name: CookieName): string;
}

export function cookieRules(webOrigin: string): CookieRules {
	const secure = webOrigin.startsWith("https:");
	const nameOf = (name: CookieName) => cookieName(webOrigin, name);
	const attributes = `Path=/; HttpOnly${secure ? "; Secure" : ""}`;
	return {
		read: (request, name) => readCookie(request, webOrigin, name),
		set(name, value, { maxAge, sameSite }) {
			const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
			return `${nameOf(name)}=${value}; ${attributes}; SameSite=${sameSite}${age}`;
		},
		clear: (name) => `${nameOf(name)}=; ${attributes}; SameSite=Lax; Max-Age=0`,
	};
}

/** The cookies of one visit: what was sent, and what its answer changes. */
export class Jar {
	readonly #rules: CookieRules;
	readonly #request: Request;
	/** Set-Cookie headers by the cookie that they are about: the last word counts. */
	readonly #changes = new Map<CookieName, string>();

	constructor(rules: CookieRules, request: Request) {
		this.#rules = rules;
		this.#request = request;
	}

	read(name: CookieName): string | null {
		return this.#rules.read(this.#request, name);
	}

	set(name: CookieName, value: string, lasting: Parameters<CookieRules["set"]>[2]): void {
		this.#changes.set(name, this.#rules.set(name, value, lasting));
	}

	clear(name: CookieName): void {
		this.#changes.set(name, this.#rules.clear(name));
	}

	get changes(): readonly string[] {
		return [...this.#changes.values()];
	}
}
