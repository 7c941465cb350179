import consoleCss from "../console/console.css" with { type: "text" };
import address from "../console/scripts/address.js" with { type: "text" };
import copy from "../console/scripts/copy.js" with { type: "text" };
import drop from "../console/scripts/drop.js" with { type: "text" };
import keys from "../console/scripts/keys.js" with { type: "text" };
import live from "../console/scripts/live.js" with { type: "text" };
import moderate from "../console/scripts/moderate.js" with { type: "text" };
import select from "../console/scripts/select.js" with { type: "text" };
import visit from "../console/scripts/visit.js" with { type: "text" };
import addressCss from "../console/styles/address.css" with { type: "text" };
import frameCss from "../console/styles/frame.css" with { type: "text" };
import listsCss from "../console/styles/lists.css" with { type: "text" };
import operatorsCss from "../console/styles/operators.css" with { type: "text" };
import overviewCss from "../console/styles/overview.css" with { type: "text" };
import pictureCss from "../console/styles/picture.css" with { type: "text" };
import picturesCss from "../console/styles/pictures.css" with { type: "text" };
import { accentSheet, looksSheet } from "./accent.ts";
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

function script(name: string, text: string): Promise<Asset> {
	return asset(name, "js", "text/javascript; charset=utf-8", lean(text));
}

/** Lines of comment alone, empty ones, and what lines begin with. */
const FOR_PEOPLE = /^[\t ]*(?:(?:\/\*(?:(?!\*\/)[\s\S])*\*\/|\/\/.*)?\n[\t ]*)*/gm;

/** A script or a sheet without what people alone read; no text in it goes over several lines. */
function lean(text: string): string {
	return text.replaceAll(FOR_PEOPLE, "");
}

export const stylesheet = await asset("pages", "css", "text/css; charset=utf-8", lean(css));
const CONSOLE_CSS = [
	css,
	frameCss,
	listsCss,
	picturesCss,
	pictureCss,
	addressCss,
	overviewCss,
	operatorsCss,
	consoleCss,
];
/** The console's sheet has the pages' own in it: one file less to wait for. */
export const consoleSheet = await asset("console", "css", "text/css; charset=utf-8", lean(CONSOLE_CSS.join("")));
export const icon = await asset("mark", "svg", "image/svg+xml", MARK);
/** Without it the pages offer codes. */
export const passkeyScript = await script("passkeys", passkeys);

/** Scripts as one file: each in a block, where its names are its own. */
function together(...texts: readonly string[]): string {
	return texts.map((text) => `{\n${text}}\n`).join("");
}

/** The console's scripts, by the name that a screen asks for them by; `frame` is what every screen has. */
const SCRIPTS = { frame: together(visit, keys, live), address, copy, drop, moderate, select };

export type ScriptName = keyof typeof SCRIPTS;

/** Without them the console works too: they make it quick. */
export const consoleScripts: Readonly<Record<ScriptName, Asset>> = Object.fromEntries(
	await Promise.all(Object.entries(SCRIPTS).map(async ([name, text]) => [name, await script(name, text)] as const)),
) as Record<ScriptName, Asset>;

const ASSETS = [stylesheet, consoleSheet, icon, passkeyScript, ...Object.values(consoleScripts)];

const ACCENT = /^\/assets\/(accent|looks)-([0-9a-f]{6})\./;

/**
 * The sheet that goes after the pages' own where an App has a colour. Nothing of it is kept: its address has the colour.
 * @param digits six hexadecimal digits, in small letters
 */
function accentStylesheet(digits: string): Promise<Asset> {
	return asset(`accent-${digits}`, "css", "text/css; charset=utf-8", accentSheet(digits));
}

/** The path of the sheet with an App's colour. It is parsed once more on its way out: nothing but six digits is ever made into a sheet. */
export async function accentPath(accent: string | null): Promise<string | null> {
	const digits = digitsOf(accent);
	return digits === undefined ? null : (await accentStylesheet(digits)).path;
}

/** That of the sheet for what the console shows in both looks. */
export async function looksPath(accent: string | null): Promise<string | null> {
	const digits = digitsOf(accent);
	return digits === undefined ? null : (await looksStylesheet(digits)).path;
}

function looksStylesheet(digits: string): Promise<Asset> {
	return asset(`looks-${digits}`, "css", "text/css; charset=utf-8", looksSheet(digits));
}

function digitsOf(accent: string | null): string | undefined {
	return /^#([0-9a-f]{6})$/.exec(accent ?? "")?.[1];
}

/** The asset at a path, if it is one of this version's. */
export async function findAsset(path: string): Promise<Response | undefined> {
	const [, name, digits] = ACCENT.exec(path) ?? [];
	const assets =
		digits === undefined ? ASSETS : [await (name === "looks" ? looksStylesheet : accentStylesheet)(digits)];
	const found = assets.find((one) => one.path === path);
	return found && new Response(found.text, { headers: { ...ASSET_HEADERS, "Content-Type": found.type } });
}

const ASSET_HEADERS = {
	"Cache-Control": "public, max-age=31536000, immutable",
	"X-Content-Type-Options": "nosniff",
	// Applies when an SVG asset is opened by itself.
	"Content-Security-Policy": "default-src 'none'",
} as const;
