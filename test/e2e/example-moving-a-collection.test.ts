import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packCli } from "@svc/deploy/cli-package";
import type { Image } from "@svc/sdk/shapes";
import { copyExample } from "../support/example.ts";
import { startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { startService } from "../support/service.ts";

interface Post {
	readonly picture: string;
	readonly moved?: boolean;
}

/* The example as its reader runs it: with the packed command, on Node, and pictures at another place. */

test("[C] examples/moving-a-collection brings pictures and gives posts their new address; a second run brings what was missing", async () => {
	const folder = await mkdtemp(join(tmpdir(), "svc-moving-"));
	await packCli(folder);
	const file = await plain(30, 20);
	let isThere = false;
	const place = await startOrigin(({ url }, response) => {
		if (url === "/hut.png" && !isThere) return response.writeHead(404).end();
		return response.writeHead(200, { "Content-Type": "image/png" }).end(file);
	});
	const service = await startService({ SVC_IMPORT_ALLOW: place.host });
	const env = { PATH: process.env.PATH, HOME: folder, SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
	const run = async (...command: string[]) => {
		const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
		const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
		return { exit: await child.exited, out, err };
	};
	const posts = async () => JSON.parse(await readFile(join(folder, "posts.json"), "utf8")) as readonly Post[];
	try {
		await copyExample("moving-a-collection", folder);
		const rows = await posts();
		const own = rows.map((row, at) => ({ ...row, picture: place.url(["/summit.png", "/hut.png"][at] ?? "") }));
		await writeFile(join(folder, "posts.json"), JSON.stringify(own));

		const first = await run("npm", "start", "--silent");
		expect(first.exit).toBe(3);
		expect(first.out).toContain("1 of 2 posts have their new address.");
		expect(first.out).toContain("post-18: ");
		expect((await posts()).map(({ moved = false }) => moved)).toEqual([true, false]);

		isThere = true;
		const second = await run("npm", "start", "--silent");
		expect([second.exit, second.out]).toEqual([0, expect.stringContaining("2 of 2 posts have their new address.")]);
		const [summit] = await posts();
		const shown = await service.open(summit?.picture ?? "");
		expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
		const found = await service.api("/v1/images?labels=topic=hikes");
		const [image] = ((await found.json()) as { readonly data: readonly Image[] }).data;
		expect(image).toMatchObject({ external_id: "post-17", caption: "On the summit" });
		expect(image?.published_at).toStartWith("2019-05-01");
		expect((await run("npm", "start", "--silent")).out).toBe("Every post has its new address.\n");
	} finally {
		await service.stop();
		place.stop();
		await rm(folder, { recursive: true });
	}
});
