import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { openDatabase } from "../open.ts";

const change = (database: Database) => database.write([{ run: sql`UPDATE guard SET ok = 1`, guard: "none" }]);

async function withServer(
	fetch: (request: Request) => Response | Promise<Response>,
	use: (database: Database) => Promise<void>,
): Promise<void> {
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
	const database = await openDatabase({ url: `http://127.0.0.1:${server.port}`, token: "t0ken", remoteTimeoutMs: 200 });
	try {
		await use(database);
	} finally {
		await database.close();
		await server.stop(true);
	}
}

test("a server that says nothing is given up on, and whether it wrote is unknown", async () => {
	const silence = () => new Promise<Response>(() => undefined);
	await withServer(silence, async (database) => {
		await expect(change(database)).rejects.toMatchObject({ name: "DatabaseError", written: "unknown" });
		await expect(database.read(() => database.queries.values(sql`SELECT 1`))).rejects.toMatchObject({
			name: "DatabaseError",
		});
	});
});

test("a server that fails leaves it unknown whether it wrote", async () => {
	await withServer(
		() => new Response("bad gateway", { status: 502 }),
		async (database) => {
			await expect(change(database)).rejects.toMatchObject({ written: "unknown" });
		},
	);
});

test("no server at all: unknown, and soon", async () => {
	const database = await openDatabase({ url: "http://127.0.0.1:9", remoteTimeoutMs: 200 });
	await expect(change(database)).rejects.toMatchObject({ written: "unknown" });
	await database.close();
});

test("the token goes along, and a change is one request without settings of ours", async () => {
	const seen: string[] = [];
	await withServer(
		async (request) => {
			seen.push(`${request.headers.get("authorization")} ${await request.text()}`);
			return new Response("", { status: 503 });
		},
		async (database) => {
			await change(database).catch(() => undefined);
			expect(seen).toHaveLength(1);
			expect(seen[0]).toStartWith("Bearer t0ken ");
			expect(seen[0]).not.toContain("PRAGMA");
			expect(seen[0]).toContain("INSERT INTO guard SELECT NULL WHERE changes() <> 1");
		},
	);
});

test("changes go to the server one at a time, since its line of writers can stop for good", async () => {
	let atOnce = 0;
	let most = 0;
	const slowly = async () => {
		atOnce += 1;
		most = Math.max(most, atOnce);
		await new Promise((resolve) => setTimeout(resolve, 5));
		atOnce -= 1;
		return new Response("", { status: 503 });
	};
	await withServer(slowly, async (database) => {
		await Promise.allSettled(Array.from({ length: 12 }, () => change(database)));
		expect(most).toBe(1);
	});
});
