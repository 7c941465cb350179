import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { registryNote, withoutRegistry } from "../support/example.ts";
import { photo, seen } from "../support/example-gallery.ts";
import { freePorts } from "../support/ports.ts";
import { type StartedService, startService } from "../support/service.ts";

/* The quick starts as their reader follows them: what the page shows is saved and run, in its order, and a picture is uploaded. */

interface QuickStart {
	readonly page: string;
	/** The title, and what has to be on the machine. */
	readonly needs: Readonly<Record<string, boolean>>;
}

const hasPython = Bun.which("python3") !== null && Bun.spawnSync(["python3", "-c", "import ensurepip"]).success;
const hasPhp =
	Bun.which("php") !== null && Bun.spawnSync(["php", "-r", "exit(function_exists('curl_init') ? 0 : 1);"]).success;

const PAGES: readonly QuickStart[] = [
	{
		page: "quick-starts",
		needs: { "Next.js": true, Express: true, Hono: true, Astro: true, SvelteKit: true, Nuxt: true },
	},
	{ page: "quick-starts-rest", needs: { Flask: hasPython, Django: hasPython, PHP: hasPhp } },
];

/** A whole file, or commands. */
interface Block {
	readonly file: string | null;
	readonly isCommand: boolean;
	readonly text: string;
}

let service: StartedService;
let chromium: Browser;
/** By page, and by the heading of the quick start. */
const blocks: Record<string, Readonly<Record<string, readonly Block[]>>> = {};
beforeAll(async () => {
	if (withoutChromium) return;
	[service, chromium] = await Promise.all([startService(), launchChromium()]);
	for (const { page } of PAGES) blocks[page] = await blocksOf(`/docs/guides/${page}`);
}, 120_000);
afterAll(async () => {
	if (withoutChromium) return;
	await Promise.all([service.stop(), chromium.close()]);
});

/** What a page of the documentation shows as code, by its headings of the second level. */
async function blocksOf(path: string): Promise<Readonly<Record<string, readonly Block[]>>> {
	const page = await chromium.newPage();
	await page.goto(`${service.baseUrl}${path}`);
	const found = await page.evaluate(() =>
		[...document.querySelectorAll("article h2, article pre")].map((one) => ({
			heading: one.tagName === "H2" ? (one.textContent ?? "") : null,
			file: one.getAttribute("data-file"),
			isCommand: one.querySelector("code.language-sh") !== null,
			text: one.textContent ?? "",
		})),
	);
	await page.close();
	const sections: Record<string, Block[]> = {};
	let last: Block[] = [];
	for (const { heading, ...block } of found) {
		if (heading !== null) sections[heading] = last = [];
		else last.push(block);
	}
	return sections;
}

type Sent = Awaited<ReturnType<typeof photo>>;

async function send(tab: Page, file: Sent, caption: string): Promise<void> {
	await tab.locator("input[type=file]").setInputFiles(file);
	await tab.getByLabel("What it shows").fill(caption);
	await tab.getByRole("button", { name: "Upload" }).click();
}

describe.each(PAGES.map((one) => [one.page, one.needs] as const))("docs/guides/%s.md", (page, needs) => {
	test.skipIf(withoutChromium)(`each quick start with whole files is one that is followed here${chromiumNote}`, () => {
		const whole = Object.entries(blocks[page] ?? {}).filter(([, all]) => all.some(({ file }) => file !== null));
		expect(whole.map(([title]) => title)).toEqual(Object.keys(needs));
		// What is no command and has no name would be nowhere.
		const lost = whole.flatMap(([, all]) => all.filter(({ file, isCommand }) => !isCommand && file === null));
		expect(lost).toEqual([]);
	});

	for (const [title, isThere] of Object.entries(needs)) {
		const note = isThere ? "" : " (SKIPPED: what it needs is not on this machine)";
		test.skipIf(withoutChromium || withoutRegistry || !isThere)(
			`the quick start for ${title}, pasted as it stands, takes a picture and shows it${chromiumNote}${registryNote}${note}`,
			async () => {
				await using app = await follow(blocks[page]?.[title] ?? []);
				const tab = await chromium.newPage();
				await tab.goto(app.address);
				await send(tab, await photo(), `A lake in ${title}`);
				await seen(tab, `A lake in ${title}`);
				await send(tab, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("none") }, "Notes");
				await tab.getByText("The picture is not a picture of a known format").waitFor();
				await tab.close();
			},
			900_000,
		);
	}
});

interface Followed extends AsyncDisposable {
	readonly address: string;
}

/** Saves files and runs commands in their order; the last command serves. */
async function follow(steps: readonly Block[]): Promise<Followed> {
	const folder = await mkdtemp(join(tmpdir(), "svc-quick-start-"));
	const [port = 0] = await freePorts(1);
	const serving = steps.findLastIndex(({ isCommand }) => isCommand);
	for (const { file, text } of steps.slice(0, serving)) {
		if (file === null) await ran(start(text, folder, port));
		else await save(join(folder, file), text);
	}
	const server = start(steps[serving]?.text ?? "", folder, port);
	const stop = async () => {
		if (server.child.exitCode === null) process.kill(-server.child.pid, "SIGTERM");
		await server.ended();
		await rm(folder, { recursive: true, force: true });
	};
	const address = `http://localhost:${port}`;
	try {
		await answers(address, server);
	} catch (error) {
		await stop();
		throw error;
	}
	return { address, [Symbol.asyncDispose]: stop };
}

async function save(path: string, text: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, text);
}

type Started = ReturnType<typeof start>;

function start(command: string, cwd: string, port: number) {
	const node = dirname(process.env.NODE24 ?? process.env.NODE22 ?? Bun.which("node") ?? "");
	const { NODE_EXTRA_CA_CERTS } = process.env;
	const env = {
		...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
		...{ PATH: [node, process.env.PATH].join(delimiter), HOME: process.env.HOME, PORT: String(port) },
		...{ SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl, CI: "true" },
		...{ NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1" },
	};
	// A group of its own, so that what it has started ends with it.
	const child = Bun.spawn(["sh", "-e"], {
		cwd,
		env,
		stdin: new Blob([command]),
		stdout: "pipe",
		stderr: "pipe",
		detached: true,
	});
	let text = "";
	const reading = [child.stdout, child.stderr].map(async (stream) => {
		for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
	});
	return { child, said: () => text, ended: () => Promise.all([child.exited, ...reading]) };
}

async function ran(started: Started): Promise<void> {
	await started.ended();
	expect([started.child.exitCode, started.said()]).toEqual([0, expect.any(String)]);
}

async function answers(address: string, { child, said }: Started): Promise<void> {
	for (let tries = 0; tries < 4_800; tries++) {
		if (child.exitCode !== null) throw new Error(`it ended: ${said()}`);
		if (await fetch(address).catch(() => undefined)) return;
		await Bun.sleep(100);
	}
	throw new Error(`it does not answer: ${said()}`);
}
