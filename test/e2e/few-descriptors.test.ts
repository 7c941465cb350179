import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";

/* Connections on which no request ever comes, more of them than the service may have files open. Linux only: elsewhere they are not bounded. */

const HALF_OPEN = 500;
const DESCRIPTORS = 256;

const opened: Socket[] = [];
afterEach(() => {
	for (const socket of opened.splice(0)) socket.destroy();
});

function dial({ baseUrl }: ServerProcess, localAddress: string): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const socket = connect({ host: "127.0.0.1", port: Number(new URL(baseUrl).port), localAddress });
		opened.push(socket);
		socket.once("connect", () => resolve(socket));
		socket.once("error", reject);
	});
}

/** The status line that a request gets; empty where the connection ends without one. */
async function ask(server: ServerProcess, localAddress: string): Promise<string> {
	const socket = await dial(server, localAddress);
	let received = "";
	socket.on("data", (chunk) => {
		received += chunk;
	});
	const closed = new Promise<void>((resolve) => {
		for (const end of ["end", "close", "error"]) socket.once(end, () => resolve());
	});
	socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	await closed;
	return received.split("\r\n")[0] ?? "";
}

async function untilOpenIsAtMost(count: number): Promise<void> {
	while (opened.filter((socket) => !socket.destroyed).length > count) await Bun.sleep(20);
}

test.skipIf(process.platform !== "linux").each([
	["of a stranger's network leave room for all others and for its own requests", "none", 24],
	["behind a proxy that is trusted leave room for requests", "127.0.0.0/8", 96],
] as const)(`${HALF_OPEN} half-open connections at ${DESCRIPTORS} descriptors %s`, async (_, proxies, left) => {
	const env = { SVC_LOG: "warn", SVC_TRUSTED_PROXIES: proxies };
	const server = await startProcess(env, { descriptors: DESCRIPTORS });
	await server.ready();
	await server.said("allow 1024 or more");
	for (let index = 0; index < HALF_OPEN; index++) {
		const socket = await dial(server, "127.0.0.5");
		socket.on("error", () => undefined);
		socket.on("close", () => socket.destroy());
		socket.write("GET / HT");
	}

	for (let turn = 0; turn < 5; turn++) {
		expect(await ask(server, "127.0.0.6")).toBe("HTTP/1.1 200 OK");
		expect(await ask(server, "127.0.0.5")).toBe("HTTP/1.1 200 OK");
	}
	const key = /svc_sk_test_\w{38}/.exec(server.stdout())?.[0] ?? "";
	const headers = { Authorization: `Bearer ${key}` };
	const body = form(await plain(30, 20), "a.png");
	expect((await fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body })).status).toBe(201);
	await untilOpenIsAtMost(left);
	const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
	expect(Number(/^svc_connections_cut_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(HALF_OPEN - left);
	expect(await server.stop()).toBe(0);
	await removeData(server.dataDir);
});
