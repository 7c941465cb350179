import type { Addresses } from "@svc/base/addresses";

export const ROOT_PATH = "/docs";
/** Where the API document is shown. */
export const REFERENCE_PATH = "/docs/api";
/** What the reference alone loads. */
export const REFERENCE_CSS = "/docs/reference.css";
export const REFERENCE_JS = "/docs/reference.js";
export const ERRORS_PATH = "/docs/reference/errors";

/** Pages that had another path once, which links elsewhere still have. */
export const MOVED: ReadonlyMap<string, string> = new Map([
	["/docs/README", "/docs"],
	["/docs/faq", "/docs/questions"],
]);

/** Where a page is now, as a page or as Markdown; undefined for one that did not move. */
export function movedTo(path: string): string | undefined {
	const page = MOVED.get(path);
	const markdown = path.endsWith(".md") ? MOVED.get(path.slice(0, -".md".length)) : undefined;
	return page ?? (markdown === undefined || markdown === ROOT_PATH ? undefined : `${markdown}.md`);
}

/** Code and commands of pages and examples name the addresses of a first start; here they get those of the service that shows them. */
export function ourAddresses(code: string, { base, cdn }: Addresses): string {
	return code.replaceAll("http://localhost:3000", base).replaceAll("http://localhost:3001", cdn);
}
