import { accentSheet } from "./accent.ts";
import css from "./pages.css" with { type: "text" };
import passkeys from "./passkeys.js" with { type: "text" };

/* Every file that a page loads besides itself. Addresses carry the content's digest, so that they may be cached for ever. */

const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#12664f" stroke-width="2" stroke-linejoin="round"><rect x="3" y="3" width="18" height="18" rx="5"/><path d="m3.5 17 5-5 4 4 3-3 5 5"/><circle cx="15.5" cy="8.5" r="1.5"/></svg>`;

interface Asset {
	readonly path: string;
	readonly type: string;
	readonly text: string;
}

async function asset(name: string, extension: string, type: string, text: string): Promise<Asset> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	const hash = [...new Uint8Array(digest.slice(0, 8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	return { path: `/assets/${name}.${hash}.${extension}`, type, text };
}

export const stylesheet = await asset("pages", "css", "text/css; charset=utf-8", css);
export const icon = await asset("mark", "svg", "image/svg+xml", MARK);
/** The only script: without it the pages offer codes. */
export const passkeyScript = await asset("passkeys", "js", "text/javascript; charset=utf-8", passkeys);

const ASSETS = [stylesheet, icon, passkeyScript];

const ACCENT = /^\/assets\/accent-([0-9a-f]{6})\./;

/**
 * The sheet that goes after the pages' own where an App has a colour. Nothing of it is kept: its address has the colour.
 * @param digits six hexadecimal digits, in small letters
 */
export function accentStylesheet(digits: string): Promise<Asset> {
	return asset(`accent-${digits}`, "css", "text/css; charset=utf-8", accentSheet(digits));
}

/** The asset at a path, if it is one of this version's. */
export async function findAsset(path: string): Promise<Response | undefined> {
	const digits = ACCENT.exec(path)?.[1];
	const assets = digits === undefined ? ASSETS : [await accentStylesheet(digits)];
	const found = assets.find((one) => one.path === path);
	return found && new Response(found.text, { headers: { ...ASSET_HEADERS, "Content-Type": found.type } });
}

const ASSET_HEADERS = {
	"Cache-Control": "public, max-age=31536000, immutable",
	"X-Content-Type-Options": "nosniff",
	// Applies when an SVG asset is opened by itself.
	"Content-Security-Policy": "default-src 'none'",
} as const;
