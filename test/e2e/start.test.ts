import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { removeData, SERVER_PROGRAM, type ServerProcess, startProcess } from "../support/process.ts";

const started: ServerProcess[] = [];

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
	const server = await startProcess(env);
	started.push(server);
	return server;
}

afterAll(async () => {
	for (const { process, dataDir } of started) {
		process.kill("SIGKILL");
		await process.exited;
		await removeData(dataDir);
	}
});

const keyIn = (text: string) => /svc_sk_test_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? "";

async function post(server: ServerProcess, key: string): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([await plain(20, 10)]), "a.png");
	return fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers: { Authorization: `Bearer ${key}` } });
}

interface ProfileFile {
	readonly current: string;
	readonly profiles: Readonly<Record<string, Readonly<Record<"base_url" | "api_key" | "token" | "app", string>>>>;
}

describe("the first start", () => {
	test("prints a key once, with a curl that works, and writes a profile and a database that only their owner reads [auth.secret-once, auth.prefix.sk, auth.prefix.sk-test]", async () => {
		const server = await start();
		await server.ready();
		const printed = server.stdout();
		const key = keyIn(printed);
		for (const line of ["My first App", server.baseUrl, server.cdnUrl, `${server.baseUrl}/docs`, "curl -X POST"])
			expect(printed).toContain(line);

		const commands = /^ {2}curl [\s\S]*?photo\.webp"; echo$/m.exec(printed)?.[0] ?? "";
		const shell = Bun.spawn(["sh", "-c", commands], { cwd: server.dataDir, stdout: "pipe", stderr: "ignore" });
		const image = (await new Response(shell.stdout).json()) as { url: string; width: number };
		expect(image.width).toBeGreaterThan(1_080);
		expect((await fetch(`${image.url}?w=10&format=webp`)).headers.get("content-type")).toBe("image/webp");

		const profile = join(server.dataDir, "profiles.json");
		for (const name of ["profiles.json", "svc.db", "svc.db-wal"]) {
			expect([name, (await stat(join(server.dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
		}
		const { current, profiles } = (await Bun.file(profile).json()) as ProfileFile;
		expect([current, profiles.local?.base_url, profiles.local?.api_key]).toEqual(["local", server.baseUrl, key]);
		const token = profiles.local?.token ?? "";
		const me = await fetch(`${server.baseUrl}/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
		expect(await me.json()).toMatchObject({ object: "account", email: "operator@localhost", operator: true });

		expect(await server.stop()).toBe(0);
		for (const secret of [key, token]) expect(server.stderr()).not.toContain(secret);
		expect(server.stderr()).not.toContain("slow query");
		expect(printed).not.toContain(token);
		const again = await start({ SVC_DATA_DIR: server.dataDir });
		await again.ready();
		expect(keyIn(again.stdout())).toBe("");
		expect((await post(again, key)).status).toBe(201);
		expect(await again.stop()).toBe(0);
	});

	test("with SVC_BOOTSTRAP_SECRET nothing is made or printed; the endpoint makes the operator, once", async () => {
		const server = await start({ SVC_BOOTSTRAP_SECRET: "open-sesame-open-sesame" });
		await server.ready();
		expect(keyIn(server.stdout())).toBe("");
		expect(await Bun.file(join(server.dataDir, "profiles.json")).exists()).toBe(false);
		const bootstrap = (body: object) =>
			fetch(`${server.baseUrl}/v1/operator/bootstrap`, {
				method: "POST",
				body: JSON.stringify(body),
				headers: { "Content-Type": "application/json" },
			});
		expect((await bootstrap({ secret: "wrong", email: "op@example.com" })).status).toBe(401);
		expect((await bootstrap({ secret: "open-sesame-open-sesame", email: "nonsense" })).status).toBe(422);
		const answers = await Promise.all(
			[1, 2, 3].map(() => bootstrap({ secret: "open-sesame-open-sesame", email: "op@example.com" })),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
		const made = (await answers.find(({ status }) => status === 201)?.json()) as { secret: string; account: object };
		expect(made.secret).toMatch(/^svc_pat_[0-9A-Za-z]{38}$/);
		expect(made).toMatchObject({
			object: "token",
			account: { object: "account", email: "op@example.com", operator: true },
		});
		expect((await bootstrap({ secret: "open-sesame-open-sesame", email: "op@example.com" })).status).toBe(404);
		expect(await server.stop()).toBe(0);
		expect(server.stdout() + server.stderr()).not.toContain(made.secret);
	});

	test("with SVC_METRICS_LISTEN metrics are at that address alone", async () => {
		const [port] = await freePorts(1);
		const server = await start({ SVC_METRICS_LISTEN: `127.0.0.1:${port}` });
		await server.ready();
		expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
		const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
		expect([metrics.status, (await metrics.text()).includes("process_uptime_seconds ")]).toEqual([200, true]);
		expect((await fetch(`http://127.0.0.1:${port}/v1/usage`)).status).toBe(404);
		expect(await server.stop()).toBe(0);
	});

	test("without SVC_BOOTSTRAP_SECRET there is no such endpoint", async () => {
		const server = await start();
		await server.ready();
		const answer = await fetch(`${server.baseUrl}/v1/operator/bootstrap`, {
			method: "POST",
			body: "{}",
			headers: { "Content-Type": "application/json" },
		});
		expect(answer.status).toBe(404);
		expect(await server.stop()).toBe(0);
	});
});

describe("a start that cannot be", () => {
	test("a wrong configuration ends it with one message that says everything", async () => {
		const server = await start({ SVC_MODE: "production", SVC_DATA_DRI: "x" });
		expect(await server.ended()).toBe(1);
		expect(server.stderr()).toContain('SVC_MODE is "production"; it takes test, live');
		expect(server.stderr()).toContain("did you mean SVC_DATA_DIR?");
	});

	test("a port that is taken is named, with the variable that chooses another one", async () => {
		const [port = 0] = await freePorts(1);
		using taken = Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response("somebody else's") });
		const moved = await start({ SVC_BASE_URL: "", SVC_WEB_URL: "", SVC_CDN_URL: "", PORT: String(taken.port) });
		expect(await moved.ended()).toBe(1);
		expect(moved.stderr()).toContain(
			`could not start: port ${port} is taken by another program. End that program, or choose another port with PORT`,
		);
		const metrics = await start({ SVC_METRICS_LISTEN: `127.0.0.1:${port}` });
		expect(await metrics.ended()).toBe(1);
		expect(metrics.stderr()).toContain("Choose another one in SVC_METRICS_LISTEN");
	});

	test("a data directory that this user may not write is told with the variable that names another one", async () => {
		const file = join(await mkdtemp(join(tmpdir(), "svc-e2e-")), "file");
		await Bun.write(file, "not a folder");
		const server = await start({ SVC_DATA_DIR: join(file, "data") });
		expect(await server.ended()).toBe(1);
		expect(server.stderr()).toContain(`could not start: the data directory ${file}/data cannot be used (ENOTDIR)`);
		expect(server.stderr()).toContain("Name another one in SVC_DATA_DIR");
		await rm(dirname(file), { recursive: true });
	});

	test("--help tells every variable, and starts nothing, however wrong they are", async () => {
		const help = Bun.spawn([...SERVER_PROGRAM, "--help"], {
			env: { PATH: process.env.PATH, SVC_MODE: "wrong" },
			stdout: "pipe",
			stderr: "pipe",
		});
		const [told, errors] = await Promise.all([help.stdout, help.stderr].map((stream) => new Response(stream).text()));
		expect([await help.exited, errors]).toEqual([0, ""]);
		for (const word of ["./svc start", "PORT", "SVC_DATA_DIR", "SVC_STRIPE_SECRET_KEY", ".env.example"])
			expect(told).toContain(word);
	});

	test("a second process on the same data directory is refused; kill -9 of the first frees it", async () => {
		const first = await start();
		await first.ready();
		const second = await start({ SVC_DATA_DIR: first.dataDir });
		expect(await second.ended()).toBe(1);
		expect(second.stderr()).toContain("could not start");
		first.process.kill("SIGKILL");
		await first.process.exited;
		const third = await start({ SVC_DATA_DIR: first.dataDir });
		await third.ready();
		expect(await third.stop()).toBe(0);
	});
});

test("in live mode keys say so [auth.prefix.sk-live]", async () => {
	const server = await start({ SVC_MODE: "live" });
	await server.ready();
	expect(server.stdout()).toMatch(/svc_sk_live_[0-9A-Za-z]{38}/);
	expect(await server.stop()).toBe(0);
});

test("SIGTERM lets what is under way finish: of 40 uploads none is cut, and all are there after a restart", async () => {
	const server = await start({ SVC_LOG: "error" });
	await server.ready();
	const key = keyIn(server.stdout());
	const uploads = Array.from({ length: 40 }, () => post(server, key));
	await Bun.sleep(20);
	const exit = server.stop();
	const settled = await Promise.allSettled(uploads);
	expect(await exit).toBe(0);
	const answered = settled.filter((one) => one.status === "fulfilled");
	expect(answered.every(({ value }) => value.status === 201)).toBe(true);
	// Connections that were not yet accepted are refused, never cut half-way.
	const again = await start({ SVC_DATA_DIR: server.dataDir });
	await again.ready();
	const usage = (await (
		await fetch(`${again.baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } })
	).json()) as { totals: { images_stored: number } };
	expect(usage.totals.images_stored).toBe(answered.length);
	expect(answered.length).toBeGreaterThan(0);
	expect(await again.stop()).toBe(0);
});
