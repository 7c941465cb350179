import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@svc/base/database/open";
import { type LibsqlProxy, PASSING, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { ADMIN_KEY, type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { withSecret } from "../support/process.ts";
import { uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* What a service finds out about how its database server keeps a commit, and what it does about it. */

const DEPLOY = `${import.meta.dir}/../../deploy`;

interface Compose {
	readonly services: Readonly<Record<string, { readonly image?: string; readonly command?: readonly string[] }>>;
}

interface Pods {
	readonly spec: {
		readonly template: { readonly spec: { readonly initContainers: readonly { readonly args: readonly string[] }[] } };
	};
}

/** A server of this version that is all else that the real one is. */
const asVersion =
	(version: string): Passage =>
	async (_, forward, body) => {
		if (body.includes("{")) return await forward();
		return { status: 200, contentType: "text/plain", body: Buffer.from(`sqld ${version} (abcdef01 2026-01-01)`) };
	};

const SOUND = asVersion("0.24.33");
const OLD = asVersion("0.24.32");

describe.skipIf(withoutLibsql)(`how a libSQL server keeps a commit${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
	});
	afterAll(async () => {
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(async () => {
		proxy.passage = SOUND;
		await server.keepCommits("relaxed");
	});

	const open = (env: Readonly<Record<string, string>> = {}) => openService({ SVC_DATABASE_URL: proxy.url, ...env });
	const refusalOf = async (opening: Promise<OpenService>) =>
		await opening.then(
			() => "it started",
			(cause: Error) => cause.message,
		);
	const checks = async (service: OpenService) => {
		service.clock.advance(2_000);
		return ((await (await service.api("/readyz")).json()) as { checks: { durability?: string } }).checks;
	};
	const alarm = async ({ rooms, ...service }: OpenService) => {
		const answer = await service.handle(new Request("http://localhost/metrics"), () => "127.0.0.1");
		return /^svc_database_relaxed (\d)/m.exec(await answer.text())?.[1];
	};
	const told = ({ log }: OpenService) =>
		log.lines.filter(({ message }) => /power cut|syncs each commit/.test(message)).map(({ level }) => level);
	const tables = async () => {
		const database = await openDatabase({ url: server.url });
		const rows = await database.rows("SELECT name FROM sqlite_master", []);
		await database.close();
		return rows.length;
	};

	test("a live start is refused on a server that does not sync each commit, before anything is written, and the call that it names mends it", async () => {
		const before = await tables();
		const message = await refusalOf(open({ SVC_MODE: "live" }));
		expect(message).toContain("PRAGMA synchronous is 1");
		expect(message).toContain("SVC_DATABASE_RELAXED=on");
		expect([before, await tables()]).toEqual([0, 0]);
		const call = /curl .*'\{.*\}'/.exec(message)?.[0] ?? "";
		const filled = call
			.replace("http://<its admin address>", server.adminUrl)
			.replace("<its admin key>", ADMIN_KEY)
			.replace("curl", "curl --silent --fail");
		expect(Bun.spawnSync(["sh", "-c", filled]).exitCode).toBe(0);
		const service = await open({ SVC_MODE: "live" });
		expect(await checks(service)).toMatchObject({ durability: "strong" });
		expect([await alarm(service), told(service)]).toEqual(["0", ["info"]]);
		await service.close();
	});

	test("SVC_DATABASE_RELAXED=on accepts such a server in live mode, and it is still told as what it is", async () => {
		const service = await open({ SVC_MODE: "live", SVC_DATABASE_RELAXED: "on" });
		expect(await checks(service)).toMatchObject({ durability: "relaxed" });
		expect([await alarm(service), told(service)]).toEqual(["0", ["info"]]);
		await service.close();
	});

	test("test mode starts on it and tells so in readyz, log and metrics, until the server is set, without a restart of either", async () => {
		const service = await open();
		expect(await checks(service)).toMatchObject({ durability: "relaxed" });
		expect([await alarm(service), told(service)]).toEqual(["1", ["warn"]]);
		await server.keepCommits("strong");
		// The connection that commits is kept busy, and keeps what it began with.
		await service.api("/v1/images");
		await service.lookAtDatabase();
		expect(await checks(service)).toMatchObject({ durability: "strong" });
		expect([await alarm(service), told(service)]).toEqual(["0", ["warn", "info"]]);
		await service.lookAtDatabase();
		expect(told(service).length).toBe(2);
		await service.close();
	});

	test("a server whose version never syncs its own log is told like a relaxed one, and a start that finds it strong goes on", async () => {
		await server.keepCommits("strong");
		proxy.passage = OLD;
		const service = await open({ SVC_MODE: "live" });
		expect(await checks(service)).toMatchObject({ durability: "relaxed" });
		expect([await alarm(service), told(service)]).toEqual(["1", ["warn"]]);
		expect(JSON.stringify(service.log.lines)).toContain("libSQL's server 0.24.32");
		for (const [version, durability] of [
			["0.25.0", "strong"],
			["1.0.0", "strong"],
			["0.24.9", "relaxed"],
			["0.24.33-rc.1", "strong"],
		] as const) {
			proxy.passage = asVersion(version);
			await service.lookAtDatabase();
			expect([version, (await checks(service)).durability]).toEqual([version, durability]);
		}
		await service.close();
	});

	test("a server that does not say how it keeps a commit counts as relaxed, and one that names no version is not blamed for that", async () => {
		await server.keepCommits("strong");
		proxy.passage = async (_, forward, body) => {
			if (!body.includes("{")) return { status: 404, contentType: "text/html", body: Buffer.from("<html>") };
			if (!body.includes("PRAGMA synchronous")) return await forward();
			const said = "SQL string could not be parsed: unsupported statement: PRAGMA synchronous";
			const error = { message: said, code: "SQL_PARSE_ERROR" };
			const results = [{ type: "error", error }];
			const answer = Buffer.from(JSON.stringify({ baton: null, base_url: null, results }));
			return { status: 200, contentType: "application/json", body: answer };
		};
		expect(await refusalOf(open({ SVC_MODE: "live" }))).toContain("does not say how it keeps a commit");
		const service = await open();
		expect(await checks(service)).toMatchObject({ durability: "relaxed" });
		proxy.passage = async (_, forward, body) =>
			body.includes("{") ? await forward() : { status: 404, contentType: "text/html", body: Buffer.from("<html>") };
		await service.lookAtDatabase();
		expect(await checks(service)).toMatchObject({ durability: "strong" });
		// While it is away nothing new is known.
		proxy.passage = async () => undefined;
		await service.lookAtDatabase();
		expect(await alarm(service)).toBe("0");
		proxy.passage = PASSING;
		await service.close();
	}, 60_000);

	test("the admin address refuses who has no key without a word, and greets whom it lets in: by that svc server doctor knows it", async () => {
		const refused = await fetch(server.adminUrl);
		expect([refused.status, await refused.text(), refused.headers.get("www-authenticate")]).toEqual([401, "", null]);
		const greeted = await fetch(server.adminUrl, { headers: { Authorization: `basic ${ADMIN_KEY}` } });
		expect([greeted.status, await greeted.text()]).toEqual([200, "Welcome to the sqld admin API"]);
	});

	test.skipIf(!Bun.which("wget"))("what compose and Kubernetes run before the first start sets it", async () => {
		const compose = Bun.YAML.parse(await Bun.file(`${DEPLOY}/compose.yaml`).text()) as Compose;
		const pods = Bun.YAML.parse(await Bun.file(`${DEPLOY}/kubernetes/many/deployment.yaml`).text()) as Pods;
		const [init] = pods.spec.template.spec.initContainers;
		const image = compose.services.database?.image ?? "";
		expect(Bun.semver.satisfies(/:v([\d.]+)$/.exec(image)?.[1] ?? "", ">=0.24.33")).toBe(true);
		const scripts = [compose.services["database-settings"]?.command?.[0]?.replaceAll("$$", "$"), init?.args[0]];
		for (const script of scripts) {
			await server.keepCommits("relaxed");
			const env = { PATH: process.env.PATH, DATABASE_ADMIN_URL: server.adminUrl, DATABASE_ADMIN_KEY: ADMIN_KEY };
			const ran = Bun.spawnSync(["sh", "-c", script ?? "exit 1"], { env });
			expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, ""]);
			const database = await openDatabase({ url: server.url });
			expect(await database.engine?.commitMode()).toBe(2);
			await database.close();
		}
	});

	test("no request waits for that question: neither a read nor a change sends it", async () => {
		await using fresh = await startLibsql();
		await using road = await startLibsqlProxy(fresh.url);
		const service = await open({ SVC_DATABASE_URL: road.url });
		let asked = 0;
		road.passage = async (_, forward, body) => {
			if (body.includes("PRAGMA") || !body.includes("{")) asked += 1;
			return await forward();
		};
		expect((await service.api("/v1/images")).status).toBe(200);
		const headers = { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" };
		expect((await service.api("/v1/apps", { method: "POST", headers, body: '{"name":"Another"}' })).status).toBe(201);
		await checks(service);
		expect(asked).toBe(0);
		await service.lookAtDatabase();
		expect(asked).toBeGreaterThan(0);
		await service.close();
	});
});

test.skipIf(withoutLibsql)(
	`behind a replica it is the primary that is asked, which commits${libsqlNote}`,
	async () => {
		const [port] = await freePorts(1);
		await using primary = await startLibsql(["--grpc-listen-addr", `127.0.0.1:${port}`]);
		await using replica = await startLibsql(["--primary-grpc-url", `http://127.0.0.1:${port}`]);
		const database = await openDatabase({ url: replica.url });
		expect(await database.engine?.commitMode()).toBe(1);
		await primary.keepCommits("strong");
		expect(await database.engine?.commitMode()).toBe(2);
		expect(await database.engine?.version()).toMatch(/^0\.24\.\d+$/);
		await database.close();
	},
	60_000,
);

test.skipIf(withoutLibsql)(
	`what a stopped server leaves is a file on which one process goes on, with the same pictures and keys${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		const many = await openService({ SVC_DATABASE_URL: server.url });
		const image = await uploaded(many, await plain(6, 6));
		const { dataDir, apiKey } = many;
		const kept = await mkdtemp(join(tmpdir(), "svc-way-back-"));
		await cp(dataDir, kept, { recursive: true });
		await many.close();
		const file = `file:${await server.stop()}`;
		const secret = withSecret({ SVC_DATABASE_URL: server.url }).SVC_DEPLOYMENT_SECRET ?? "";
		const one = await openService({ SVC_DATA_DIR: kept, SVC_DATABASE_URL: file, SVC_DEPLOYMENT_SECRET: secret });
		const headers = { Authorization: `Bearer ${apiKey}` };
		expect((await one.api(`/v1/images/${image.id}`, { headers })).status).toBe(200);
		expect((await one.open(image.url)).status).toBe(200);
		const change = {
			method: "PATCH",
			headers: { ...headers, "Content-Type": "application/json" },
			body: '{"caption":"on"}',
		};
		expect((await one.api(`/v1/images/${image.id}`, change)).status).toBe(200);
		await one.close();
		await rm(kept, { recursive: true, force: true });
	},
	60_000,
);
