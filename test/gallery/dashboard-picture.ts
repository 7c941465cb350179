import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uploaded } from "../support/requests.ts";
import type { StartedService } from "../support/service.ts";
import { startProgram } from "../tui/program.ts";
import { SCENES } from "./scenes.ts";
import { terminalPicture } from "./terminal-picture.ts";

/* The dashboard as a picture: the real program on a pseudo-terminal, before a service with reported images. */

const REPORTED = [
	["banner.jpg", SCENES.framed, "spam", "An advertisement."],
	["summit.jpg", SCENES.harbour, "terms", "Has nothing to do with hikes."],
	["in-the-hut.jpg", SCENES.portrait, "dmca", "I took this picture."],
	["terrace.jpg", SCENES.portrait, "content_policy", "This is me, and I did not agree."],
	["evening.jpg", SCENES.harbour, "spam", "Sold boats."],
] as const;
const COLUMNS = 112;
const ROWS = 30;

export async function dashboardPicture(service: StartedService): Promise<Buffer> {
	const folder = await mkdtemp(join(tmpdir(), "svc-gallery-"));
	const { baseUrl, apiKey, token } = service;
	const profiles = { local: { base_url: baseUrl, api_key: apiKey, token } };
	const file = join(folder, "profiles.json");
	await writeFile(file, JSON.stringify({ current: "local", profiles }), { mode: 0o600 });
	for (const [name, scene, reason, note] of REPORTED) {
		const { url } = await uploaded(service, new Uint8Array(await scene.draw()), name);
		const body = JSON.stringify({ url, reason, note });
		const headers = { "Content-Type": "application/json" };
		const answer = await service.api("/v1/reports", { method: "POST", headers, body });
		if (!answer.ok) throw new Error(await answer.text());
	}
	const size = { columns: COLUMNS, rows: ROWS };
	const env = { SVC_PROFILE_FILE: file, COLORTERM: "truecolor" };
	try {
		await using program = startProgram({ env, ...size });
		await program.until("evening.jpg");
		// One that an operator has looked at.
		program.type("jl");
		await program.until("locked");
		program.type("k");
		// Pictures that somebody has reported are covered until one asks for them.
		program.type("v");
		await program.until((lines) => lines.some((line) => line.includes("▀▀▀▀▀▀▀▀▀▀▀▀")));
		await Bun.sleep(500);
		return await terminalPicture(program.cells());
	} finally {
		await rm(folder, { recursive: true });
	}
}
