import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const path = [process.env.CHROMIUM, "/usr/bin/chromium"].find((one) => one !== undefined && existsSync(one));

/** For the titles of tests that need Chromium: a run without it says so. */
export const chromiumNote = path ? "" : " (SKIPPED: no /usr/bin/chromium, and CHROMIUM names none)";

/** True where tests in Chromium must be skipped. With CI set, a missing Chromium fails instead. */
export const withoutChromium = path === undefined && process.env.CI !== "true";

/** A busy machine takes a while for the first page. */
const START_MS = 120_000;

/** @param more arguments beside the usual ones */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
	if (path === undefined) throw new Error("there is no Chromium, and with CI=true that is a failure");
	// Chromium's own sandbox does not run as root, which is what containers do.
	const args = [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), ...more];
	return chromium.launch({ executablePath: path, args, timeout: START_MS });
}
