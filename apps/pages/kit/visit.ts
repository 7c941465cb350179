import type { Locale } from "@svc/base/enumerations";
import type { ReactNode } from "react";
import type { ScriptName } from "./assets.ts";
import type { Jar } from "./cookies.ts";
import type { ShownApp } from "./shown-app.ts";
import { plain, type Text } from "./text.ts";

/** A page by its path; HEAD is answered like GET. */
export interface Route {
	readonly path: string;
	readonly get?: (visit: Visit) => Promise<PageResult>;
	readonly post?: (visit: Visit) => Promise<PageResult>;
}

/** One request as a page's function gets it. */
export interface Visit {
	readonly request: Request;
	readonly url: URL;
	readonly params: Readonly<Record<string, string>>;
	readonly requestId: string;
	readonly cookies: Jar;
}

/** What a screen of the console has that other pages have not. */
interface ConsoleFrame {
	readonly top: ReactNode;
	/** The bar of the App's screens. */
	readonly bar?: ReactNode;
	readonly foot: ReactNode;
	readonly scripts: readonly ScriptName[];
	/** The origin that pictures come from. */
	readonly pictures: string;
}

export interface Page {
	readonly kind: "page";
	readonly status: number;
	/** The title of the page; the service's name follows it. */
	readonly title: Text;
	readonly body: ReactNode;
	/** The metadata for other sites and search engines. */
	readonly head?: ReactNode;
	/** The page shows lists rather than one question. */
	readonly wide?: boolean;
	/** Where its texts are in one language alone, whatever whoever looks prefers. */
	readonly language?: Locale;
	/** The page makes or uses passkeys, and therefore loads the one script of ours. */
	readonly passkeys?: boolean;
	/** A screen of the console: what it loads, and what stands beside the service's name. */
	readonly console?: ConsoleFrame | undefined;
	/** The App on whose behalf the page is shown: it has that App's look. */
	readonly app?: ShownApp | undefined;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Always a 303: whatever was posted is not posted again to where it leads. */
export interface Redirect {
	readonly kind: "redirect";
	/** A path of ours, or the registered callback of an App. */
	readonly location: string;
}

export type PageResult = Page | Redirect | Response;

export function show(title: Text, body: ReactNode, options: Partial<Omit<Page, "kind" | "title" | "body">> = {}): Page {
	return { kind: "page", status: 200, title, body, ...options };
}

export function redirect(location: string): Redirect {
	return { kind: "redirect", location };
}

interface RefusalFacts {
	/** The link to the page where the person starts again. */
	readonly again?: { readonly href: string; readonly label: Text };
	/** The fault of the link that led here, for the App's developer: `data-fault-code`. */
	readonly faultCode?: string;
	/** What else the page says, less prominently. */
	readonly detail?: Text;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown for everything that ends in a page which says why there is nothing else to see. */
export class PageRefusal extends Error {
	override readonly name = "Refusal";
	readonly status: number;
	readonly title: Text;
	readonly text: Text;
	readonly facts: RefusalFacts;

	constructor(status: number, title: Text, text: Text, facts: RefusalFacts = {}) {
		super(plain(text, "en"));
		this.text = text;
		this.status = status;
		this.title = title;
		this.facts = facts;
	}
}
