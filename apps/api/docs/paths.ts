export const ROOT_PATH = "/docs";
/** Where the API document is shown. */
export const REFERENCE_PATH = "/docs/api";

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
