import type { CookieName, CookieRules } from "./cookies.ts";

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
