import { expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { noise } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { scratchProject } from "../support/scratch-project.ts";
import { startService } from "../support/service.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/browser-upload");

/* The example as its reader runs it: with the packed SDK, on Node, and a person who chooses two files. */

test.skipIf(withoutChromium)(
	`examples/browser-upload uploads what a person chooses, and shows it${chromiumNote}`,
	async () => {
		await using project = await scratchProject();
		for (const file of ["server.mjs", "page.mjs", "index.html"])
			await cp(join(EXAMPLE, file), join(project.folder, file));
		const service = await startService();
		const [port] = await freePorts(1);
		const backend = Bun.spawn(["node", "server.mjs"], {
			cwd: project.folder,
			env: { PATH: process.env.PATH, PORT: String(port), SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "inherit",
		});
		const chromium = await launchChromium();
		try {
			const said = backend.stdout.getReader();
			expect(new TextDecoder().decode((await said.read()).value)).toBe(`Open http://localhost:${port}\n`);
			const page = await chromium.newPage();
			await page.goto(`http://localhost:${port}`);
			const picture = { name: "IMG_1.jpg", mimeType: "image/jpeg", buffer: Buffer.from(await noise(300, 200)) };
			const other = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") };
			await page.locator("#choose").setInputFiles([picture, other]);
			const shown = page.locator("#list img");
			await shown.waitFor();
			await page.waitForFunction(() => document.querySelector<HTMLImageElement>("#list img")?.naturalWidth === 300);
			await page.getByText("notes.txt: is").waitFor();
			expect(await countOf(service.database, sql`SELECT count(*) FROM images`)).toBe(1);
			const used = sql`SELECT count(*) FROM upload_tickets WHERE state = 'used' AND origins LIKE '%localhost:%'`;
			expect(await countOf(service.database, used)).toBe(1);
		} finally {
			await chromium.close();
			backend.kill();
			await backend.exited;
			await service.stop();
		}
	},
);
