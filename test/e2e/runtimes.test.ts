import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleService } from "@svc/deploy/bundle";
import type { Image } from "@svc/sdk/shapes";
import { behind, LAST } from "../fault/raw-requests.ts";
import { exchange } from "../fault/raw-socket.ts";
import { differingHeads, linksOf } from "../support/heads.ts";
import { expectFew, openLine, packetsNote, withoutPackets } from "../support/packets.ts";
import { noise } from "../support/pictures.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { isSkipped, RUNTIMES } from "../support/runtimes.ts";
import { expectWhole, keyIn } from "../support/whole-service.ts";

/* The service on the runtimes that it is not made for, from the folder that is built for them. */

const POST = "POST /v1/images HTTP/1.1\r\nHost: localhost\r\n";

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-runtimes-"));
	await bundleService(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

for (const runtime of RUNTIMES.filter(({ name }) => ["Node 22", "Node 24", "Deno"].includes(name))) {
	describe.skipIf(isSkipped(runtime))(`on ${runtime.name}${runtime.note}`, () => {
		let server: ServerProcess;

		beforeAll(async () => {
			const data = await mkdtemp(join(folder, "data-"));
			const program = [...runtime.command(), join(folder, "main.js")];
			server = await startProcess({ SVC_DATA_DIR: data }, { program });
			await server.ready();
		});
		afterAll(async () => {
			server.process.kill("SIGKILL");
			await server.process.exited;
		});

		test.each([
			[
				"framing that two readers would read differently",
				`${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
				400,
			],
			["a coding that is not understood", `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
			["chunks in HTTP 1.0", `${POST.replace("1.1", "1.0")}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
			["an unknown method", "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
			["no Host", "GET /v1/usage HTTP/1.1\r\n\r\n", 400],
			["another HTTP", "GET / HTTP/3.1\r\nHost: localhost\r\n\r\n", 505],
			["a head of 100 KB", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`, 431],
			["a Host with a user", "GET /v1/usage HTTP/1.1\r\nHost: a@localhost\r\n\r\n", 421],
			["a Host with a path", "GET /v1/usage HTTP/1.1\r\nHost: localhost/v1\r\n\r\n", 421],
			["an address of another host in the line", "GET http://other.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421],
		])("%s is refused in the envelope", async (_, written, status) => {
			const port = Number(new URL(server.baseUrl).port);
			const { text, statuses } = await exchange(port, [Buffer.from(written, "latin1")], { answers: 1, quietMs: 5_000 });
			expect(statuses).toEqual([status]);
			expect(text).toMatch(/^x-request-id: req_/im);
			expect(text).toMatch(/^content-type: application\/json\r$/im);
			// What is well formed, and meant for another host, says nothing about the requests behind it.
			if (status !== 421) expect(text).toMatch(/^connection: close\r$/im);
			expect(text).toContain('"code":"bad_request"');
		});

		test.each([...LAST])("what is sent behind %s is not carried out", async (_, written) => {
			const { host, port } = new URL(server.baseUrl);
			const sent = written({ host, key: keyIn(server.stdout()) }) + behind({ host });
			const heard = await exchange(Number(port), [Buffer.from(sent, "latin1")], { answers: 9, quietMs: 5_000 });
			expect([heard.statuses.length, heard.ended]).toEqual([1, true]);
			const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
			expect(metrics.includes('method="PATCH"')).toBe(false);
		});

		test.skipIf(runtime.name === "Deno")(
			"a connection is kept longer than balancers keep theirs, and its answers say so",
			async () => {
				const answer = await fetch(`${server.baseUrl}/healthz`, { headers: { Connection: "keep-alive" } });
				expect(answer.headers.get("keep-alive")).toBe("timeout=75");
			},
		);

		const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
		test.each([
			["a trailer behind its chunks", `${CHUNKED}3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n`],
			["a chunk extension in quotes", `${CHUNKED}3;x="a b"\r\nabc\r\n0\r\n\r\n`],
			["an empty line before it", `\r\n${POST}Content-Length: 3\r\n\r\nabc`],
			["300 headers", `${POST}${"X-A: 1\r\n".repeat(300)}Content-Length: 3\r\n\r\nabc`],
			[
				"an expectation and a wrong key, whose body is not asked for",
				`${POST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`,
			],
		])("an upload with %s reaches who looks at its key", async (_, written) => {
			const { host, port } = new URL(server.baseUrl);
			const sent = written.replace("Host: localhost", `Host: ${host}`);
			const { statuses } = await exchange(Number(port), [Buffer.from(sent, "latin1")], { answers: 1, quietMs: 5_000 });
			expect(statuses).toEqual([401]);
		});

		test("a HEAD says the length of its GET, or none, whatever is asked for", async () => {
			const pages = [
				"/",
				"/docs",
				"/openapi.json",
				"/robots.txt",
				"/connect",
				"/healthz",
				"/readyz",
				"/v1/usage",
				"/none",
			];
			const linked = await linksOf(`${server.baseUrl}/docs`);
			const headers = { Authorization: `Bearer ${keyIn(server.stdout())}` };
			expect(await differingHeads([...pages.map((path) => server.baseUrl + path), ...linked], headers)).toEqual([]);
		});

		test.skipIf(withoutPackets)(
			`an answer leaves in as many packets as its bytes need, and three more${packetsNote}`,
			async () => {
				const headers = { Authorization: `Bearer ${keyIn(server.stdout())}` };
				const body = new FormData();
				body.append("file", new Blob([await noise(1_500, 1_000)]), "noise.jpg");
				const { url } = (await (
					await fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body })
				).json()) as Image;
				using pictures = await openLine(Number(new URL(url).port), url);
				for (const query of ["", "?w=200", "?w=200", "?w=400", "?w=900", "?w=1400"])
					expectFew(await pictures.ask(url + query));
				using api = await openLine(Number(new URL(server.baseUrl).port), `${server.baseUrl}/openapi.json`);
				for (const path of ["/v1/images", "/openapi.json", "/docs"]) {
					expectFew(await api.ask(server.baseUrl + path, headers));
				}
			},
		);

		test("the service does all that it does, each program of its own at work once, and ends in order", async () => {
			const { local } = ((await Bun.file(join(server.dataDir, "profiles.json")).json()) as Profiles).profiles;
			await expectWhole({ ...server, key: keyIn(server.stdout()), token: local?.token ?? "" });
			expect(await server.stop()).toBe(0);
			expect(server.stderr().split("\n").filter(isTrouble)).toEqual([]);
		}, 120_000);
	});
}

interface Profiles {
	readonly profiles: Readonly<Record<string, { readonly token: string }>>;
}

/** A busy machine makes queries slow and probes late; nothing else may be warned of. */
const BUSY = /"slow query"|"a readiness probe is late"|"the store of pictures cannot be used/;

/** What a service without a mail server says once, where somebody is waiting for a letter. */
const WITHOUT_MAIL = "mails stay in the database until SVC_MAIL=smtp is set";

function isTrouble(line: string): boolean {
	return /"level":"(warn|error)"/.test(line) && !BUSY.test(line) && !line.includes(WITHOUT_MAIL);
}
