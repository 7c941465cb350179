import { afterAll, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* From the line that a start prints, and from the command line, into the console. */

const servers: ServerProcess[] = [];
afterAll(async () => {
	for (const server of servers) {
		await server.stop();
		await removeData(server.dataDir);
	}
});

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
	const server = await startProcess(env);
	servers.push(server);
	await server.ready();
	return server;
}

const printed = ({ stdout }: ServerProcess) => /^ {2}console {4}(\S+\/console\?start=\S+)$/m.exec(stdout())?.[1];

test.skipIf(withoutChromium)(
	`each start prints an address that opens the console by one button, once, until the operator has signed in${chromiumNote}`,
	async () => {
		const first = await start();
		const unused = printed(first);
		expect(unused).toStartWith(`${first.baseUrl}/console?start=`);
		await first.stop();
		const { dataDir } = first;
		const again = await start({ SVC_DATA_DIR: dataDir });
		const address = printed(again) ?? "";
		expect(new URL(address).searchParams.get("start")).not.toBe(new URL(unused ?? "").searchParams.get("start"));
		const chromium = await launchChromium();
		const page = await (await chromium.newContext()).newPage();
		await page.goto(address);
		await page.getByRole("button", { name: "Open the console" }).click();
		await page.waitForURL(/\/console\/app_\w+\/images$/);
		expect(await page.locator("h1").count()).toBe(1);
		expect((await page.goto(address))?.status()).toBe(410);
		await chromium.close();
		expect(again.stderr()).not.toContain(new URL(address).searchParams.get("start") ?? "none");
		expect((await stat(join(dataDir, "machine-key"))).mode & 0o777).toBe(0o600);
		await again.stop();
		const last = await start({ SVC_DATA_DIR: dataDir });
		expect([printed(last), last.stdout().includes("console?start=")]).toEqual([undefined, false]);
	},
	120_000,
);
