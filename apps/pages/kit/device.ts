import { t } from "./messages.ts";
import type { Text } from "./text.ts";

const BROWSERS: readonly (readonly [RegExp, string])[] = [
	[/\bEdg(?:e|A|iOS)?\//, "Edge"],
	[/\bOPR\//, "Opera"],
	[/\bSamsungBrowser\//, "Samsung Internet"],
	[/\b(?:Firefox|FxiOS)\//, "Firefox"],
	[/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
	[/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
	[/\biPhone\b/, "iPhone"],
	[/\biPad\b/, "iPad"],
	[/\bAndroid\b/, "Android"],
	[/\bWindows\b/, "Windows"],
	[/\bMac OS X\b|\bMacintosh\b/, "Mac"],
	[/\bCrOS\b/, "ChromeOS"],
	[/\bLinux\b/, "Linux"],
];

/** A browser as its owner knows it again in a list; nothing of what it sent is kept. */
export function deviceOf(request: Request): string {
	const agent = request.headers.get("user-agent") ?? "";
	const browser = nameIn(BROWSERS, agent) ?? UNKNOWN;
	const system = nameIn(SYSTEMS, agent);
	return system ? `${browser} on ${system}` : browser;
}

function nameIn(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
	return names.find(([pattern]) => pattern.test(agent))?.[1];
}

const UNKNOWN = "A browser";

/** A kept device in the words of the reader; what names itself in another way, as consoles do, is shown as it is. */
export function deviceText(kept: string | null): Text {
	if (kept === null || kept === UNKNOWN) return t("device.unknown");
	const [browser = "", system = ""] = kept.split(" on ");
	if (!SYSTEMS.some(([, name]) => name === system)) return kept;
	return t("device", { browser: browser === UNKNOWN ? t("device.unknown") : browser, system });
}
