import type { OpenService } from "./service.ts";

/* A browser without scripts, as far as the hosted pages need one: it keeps cookies, and sends the forms that it was shown. */

interface ShownForm {
	readonly action: string;
	/** What the form sends untouched. */
	readonly fields: Readonly<Record<string, string>>;
}

export interface Shown {
	readonly status: number;
	readonly headers: Headers;
	/** Where a redirect leads. */
	readonly location: string;
	readonly url: string;
	readonly html: string;
	readonly title: string;
	/** Texts of everything that announces itself as wrong; what only a script would show is left out. */
	readonly alerts: readonly string[];
	readonly faultCode: string | undefined;
	/** All but the switch of languages, which every page has. */
	readonly forms: readonly ShownForm[];
	readonly languages: ShownForm | undefined;
	/** Addresses of links by their text. */
	readonly links: ReadonlyMap<string, string>;
}

interface KeptCookie {
	readonly value: string;
	readonly attributes: string;
}

interface Opening {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | undefined;
	/** Come from a link on another site: cookies that are Strict stay home. */
	readonly crossSite?: boolean;
}

export class Browser {
	readonly cookies = new Map<string, KeptCookie>();
	readonly #service: OpenService;
	readonly #web: string;
	readonly #language: string | undefined;

	/** @param language what it says in Accept-Language */
	constructor(service: OpenService, web = "http://localhost:3000", language?: string) {
		this.#service = service;
		this.#web = web;
		this.#language = language;
	}

	/** The same browser, where another process now serves what it knows. */
	movedTo(service: OpenService): Browser {
		const moved = new Browser(service, this.#web, this.#language);
		for (const [name, cookie] of this.cookies) moved.cookies.set(name, cookie);
		return moved;
	}

	async open(address: string, { method = "GET", headers = {}, body, crossSite = false }: Opening = {}): Promise<Shown> {
		const url = new URL(address, this.#web).href;
		const sent = [...this.cookies]
			.filter(([, { attributes }]) => !(crossSite && attributes.includes("SameSite=Strict")))
			.map(([name, { value }]) => `${name}=${value}`);
		const response = await this.#service.open(url, {
			method,
			headers: {
				Accept: "text/html",
				...(this.#language !== undefined && { "Accept-Language": this.#language }),
				...(sent.length > 0 && { Cookie: sent.join("; ") }),
				...headers,
			},
			...(body !== undefined && { body }),
		});
		for (const line of response.headers.getSetCookie()) this.#keep(line);
		return shownOf(url, response, await response.text());
	}

	#keep(line: string): void {
		const [, name = "", value = "", attributes = ""] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
		if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
		else this.cookies.set(name, { value, attributes });
	}

	/** Sends the form whose action ends with `action`, or at least holds it, filled in; redirects are not followed. */
	submit(
		page: Shown,
		action: string,
		values: Readonly<Record<string, string>> = {},
		opening: Opening = {},
	): Promise<Shown> {
		const forms = page.languages ? [...page.forms, page.languages] : page.forms;
		const matching = forms.filter((one) => one.action.includes(action));
		// Of several that do the same, the one whose own fields do not say otherwise.
		const agrees = ({ fields }: (typeof forms)[number]) =>
			Object.entries(values).every(([name, value]) => !fields[name] || fields[name] === value);
		const fitting = matching.some(agrees) ? matching.filter(agrees) : matching;
		const form = fitting.find((one) => one.action.endsWith(action)) ?? fitting[0];
		if (!form) throw new Error(`no form for ${action} on ${page.status} “${page.title}”: ${page.alerts.join()}`);
		const headers = { Referer: page.url, ...opening.headers };
		return this.post(new URL(form.action, page.url).href, { ...form.fields, ...values }, { ...opening, headers });
	}

	post(address: string, fields: Readonly<Record<string, string>>, { headers = {} }: Opening = {}): Promise<Shown> {
		return this.open(address, {
			method: "POST",
			body: new URLSearchParams(fields).toString(),
			headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: this.#web, ...headers },
		});
	}

	/** Goes where a redirect of ours leads. */
	follow({ status, location, url }: Shown): Promise<Shown> {
		if (status !== 303) throw new Error(`no redirect: ${status}`);
		return this.open(new URL(location, url).href);
	}
}

function shownOf(url: string, response: Response, html: string): Shown {
	const forms = [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, tag = "", inside = ""]) => ({
		action: attributeOf(tag, "action") ?? url,
		fields: fieldsOf(inside),
	}));
	return {
		status: response.status,
		headers: response.headers,
		location: response.headers.get("location") ?? "",
		url,
		html,
		title: textOf(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? ""),
		alerts: [...html.matchAll(/<(\w+)([^>]*role="alert"[^>]*)>(.*?)<\/\1>/gs)]
			.filter(([, , tag = ""]) => !tag.includes(" hidden"))
			.map(([, , , text = ""]) => textOf(text)),
		faultCode: /data-fault-code="([^"]*)"/.exec(html)?.[1],
		forms: forms.filter(({ action }) => action !== "/language"),
		languages: forms.find(({ action }) => action === "/language"),
		links: new Map(
			[...html.matchAll(/<a([^>]*)>(.*?)<\/a>/gs)].map(([, tag = "", text = ""]) => [
				textOf(text),
				attributeOf(tag, "href") ?? "",
			]),
		),
	};
}

function fieldsOf(html: string): Record<string, string> {
	const inputs = [...html.matchAll(/<input([^>]*)>/g)].map(([, tag = ""]) => tag);
	const sent = inputs.filter((tag) => !["radio", "checkbox"].includes(attributeOf(tag, "type") ?? ""));
	const areas = [...html.matchAll(/<textarea([^>]*)>\n?(.*?)<\/textarea>/gs)];
	return Object.fromEntries([
		...sent.map((tag) => [attributeOf(tag, "name") ?? "", attributeOf(tag, "value") ?? ""]),
		...areas.map(([, tag = "", text = ""]) => [attributeOf(tag, "name") ?? "", unescaped(text)]),
	]);
}

function attributeOf(tag: string, name: string): string | undefined {
	const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
	return found === undefined ? undefined : unescaped(found);
}

/** What is read on the page, without its marks. */
function textOf(html: string): string {
	return unescaped(html.replace(/<[^>]*>/g, ""))
		.replace(/\s+/g, " ")
		.trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
	"&#x27;": "'",
};

function unescaped(text: string): string {
	return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
