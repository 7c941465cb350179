import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FirstStart } from "@svc/operator/bootstrap";
import type { Config } from "./config/config.ts";

/** Lets the CLI work at once. Only the owner may read it: it holds the key and the operator's token. */
export async function writeProfile(config: Config, first: FirstStart): Promise<string> {
	const path = join(config.dataDir, "profiles.json");
	const profile = { base_url: config.baseUrl, api_key: first.apiKey, token: first.token, app: first.appId };
	await mkdir(config.dataDir, { recursive: true });
	await writeFile(path, `${JSON.stringify({ current: "local", profiles: { local: profile } }, undefined, "\t")}\n`, {
		mode: 0o600,
	});
	// The mode above counts for a new file only.
	await chmod(path, 0o600);
	return path;
}

/** What the first start prints, once: everything that is needed to store a first image. */
export function welcome(
	config: Config,
	first: FirstStart,
	profilePath: string,
	consoleAt: readonly string[] = [],
): string {
	return `
${config.name} is ready. This was its first start, so it made:

  operator   ${first.email}
  App        ${first.appName} (${first.appId})
  API key    ${first.apiKey}
             App-wide, read and write. It is shown this once; keep it on a server.

Store a picture, from a second terminal; the first line fetches one to try:

  curl -fsSo photo.webp ${config.baseUrl}/docs/pictures/dashboard.webp
  export SVC_API_KEY=${first.apiKey}
  curl -X POST ${config.baseUrl}/v1/images \\
    -H "Authorization: Bearer $SVC_API_KEY" -F "file=@photo.webp"; echo

Open the "url" of the answer in a browser; add ?w=400&format=webp for another size.

${shownConsole(consoleAt)}  API        ${config.baseUrl}/v1
  images     ${config.cdnUrl}
  docs       ${config.baseUrl}/docs
  SDK        ${config.baseUrl}/sdk/
  CLI        ${config.command} whoami
  dashboard  ${config.command} tui
             (both by the profile "local" in ${profilePath})

`;
}

/** The text that every later start prints. */
export function greeting(config: Config, consoleAt: readonly string[] = []): string {
	const answers = `${config.name} answers at ${config.baseUrl} (API, documentation at /docs) and ${config.cdnUrl} (images).\n`;
	return answers + shownConsole(consoleAt);
}

function shownConsole(lines: readonly string[]): string {
	return lines.map((line, place) => `${place === 0 ? "  console    " : " ".repeat(13)}${line}\n`).join("");
}
