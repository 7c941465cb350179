import { existsSync } from "node:fs";

const path = [process.env.LITESTREAM, Bun.which("litestream")].find(
	(one) => typeof one === "string" && existsSync(one),
);

/** For the titles of tests that need Litestream: a run without it says so. */
export const litestreamNote = path ? "" : " (SKIPPED: no litestream on the PATH, and LITESTREAM names none)";

export const withoutLitestream = path === undefined;

/** @throws Error where there is none */
export function litestream(): string {
	if (!path) throw new Error("there is no litestream");
	return path;
}
