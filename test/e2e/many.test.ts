import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { proxyAddresses, proxyNote, startProxy, through, withoutProxy } from "../support/proxy.ts";
import { s3ServerNote, startS3Server, withoutS3Server } from "../support/s3-server.ts";
import { printedKey } from "../support/whole-service.ts";

/* Profile `many` of the compose file, its parts as processes of this machine: three services, a database server, a bucket, the balancer. */

const missing = libsqlNote + s3ServerNote + proxyNote;
const skipped = withoutLibsql || withoutS3Server || withoutProxy;

/** Bytes of one picture, so that the answer to any upload is quick. */
let picture: Uint8Array<ArrayBuffer>;
let key = "";
const addresses = await proxyAddresses();
const ends = new AsyncDisposableStack();

interface Member {
	readonly port: number;
	server: ServerProcess;
}
const members: Member[] = [];
let shared: Record<string, string>;

beforeAll(async () => {
	if (skipped) return;
	picture = new Uint8Array(await plain(40, 30));
	const database = ends.use(await startLibsql());
	const store = ends.use(await startS3Server());
	shared = {
		...{ SVC_BASE_URL: addresses.baseUrl, SVC_WEB_URL: addresses.baseUrl, SVC_CDN_URL: addresses.cdnUrl },
		SVC_DATABASE_URL: database.url,
		...store.env,
		...{ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_DRAIN_SECONDS: "4" },
	};
	for (const port of await freePorts(3)) {
		const server = await start(port);
		members.push({ port, server });
		key ||= await printedKey(server.stdout);
	}
	ends.use(
		await startProxy(
			addresses,
			members.map(({ port }) => `127.0.0.1:${port}`),
		),
	);
}, 120_000);
afterAll(async () => {
	for (const { server } of members) {
		server.process.kill("SIGKILL");
		await server.process.exited;
		await removeData(server.dataDir);
	}
	await ends.disposeAsync();
});

/** Once, as nobody is there who would start it again: a start waits by itself for a database that does not answer yet. */
async function start(port: number, dataDir?: string): Promise<ServerProcess> {
	const env = { ...shared, SVC_LISTEN: `127.0.0.1:${port}`, ...(dataDir !== undefined && { SVC_DATA_DIR: dataDir }) };
	const server = await startProcess(env);
	for (let tries = 0; tries < 4_000 && server.process.exitCode === null; tries++) {
		if ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) return server;
		await Bun.sleep(25);
	}
	server.process.kill("SIGKILL");
	throw new Error(`it does not answer: ${server.stdout()}${server.stderr()}`);
}

interface Created {
	readonly id: string;
	readonly url: string;
}

function create(name: string): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([picture]), "a.png");
	const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": name };
	return through(`${addresses.baseUrl}/v1/images`, { method: "POST", body, headers });
}

const asked = {
	headers: {
		get Authorization() {
			return `Bearer ${key}`;
		},
	},
};

describe.skipIf(skipped)(`three services behind the balancer of the deployment files${missing}`, () => {
	test("a picture that came through the balancer is at each of them at once, and at its address", async () => {
		const made = await create("first");
		expect(made.status).toBe(201);
		const { id, url } = (await made.json()) as Created;
		const { host } = new URL(addresses.baseUrl);
		for (const { port } of members) {
			const headers = { Authorization: `Bearer ${key}`, Host: host };
			expect((await fetch(`http://127.0.0.1:${port}/v1/images/${id}`, { headers })).status).toBe(200);
		}
		const rendition = await through(`${url}?w=20&format=webp`);
		expect([rendition.status, rendition.headers.get("content-type")]).toEqual([200, "image/webp"]);
		expect(rendition.headers.get("strict-transport-security")).not.toBeNull();
	});

	test("each is started anew, one after the other, and no request fails meanwhile", async () => {
		const { id, url } = (await (await create("kept")).json()) as Created;
		let rolling = true;
		let done = 0;
		const failures: string[] = [];
		const tries = [
			(count: number) => create(`roll-${count}`),
			() => through(`${addresses.baseUrl}/v1/images/${id}`, asked),
			() => through(`${url}?w=20&format=webp`),
			() => through(`${addresses.baseUrl}/v1/images?limit=5`, asked),
		];
		const keepAsking = async (ask: (count: number) => Promise<Response>) => {
			for (let count = 0; rolling; count++) {
				const answer = await ask(count).catch((error: unknown) => String(error));
				const text = typeof answer === "string" ? answer : await answer.text();
				if (typeof answer === "string" || !answer.ok) failures.push(text);
				done++;
				// The machine is not to be busy with this alone: the balancer waits for each service's answer to its probe.
				await Bun.sleep(10);
			}
		};
		const load = tries.map(keepAsking);
		for (const member of members) {
			const before = done;
			expect(await member.server.stop()).toBe(0);
			member.server = await start(member.port, member.server.dataDir);
			// The balancer asks each second; what is next must not go before this one is known to be back.
			await Bun.sleep(2_000);
			expect(done).toBeGreaterThan(before);
		}
		rolling = false;
		await Promise.all(load);
		expect(failures).toEqual([]);
	}, 180_000);
});
