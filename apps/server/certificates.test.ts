import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { FakeLog, FakeMeters } from "@svc/test/support/transform-host";
import { readEnd, upstreams, watchCertificates } from "./certificates.ts";

const DAY_MS = 86_400_000;

/** A server with a certificate of its own that lasts for so many days. */
async function serverFor(days: number) {
	const dir = await mkdtemp(join(tmpdir(), "svc-certificate-"));
	const made = Bun.spawnSync(
		[
			"openssl",
			"req",
			"-x509",
			"-newkey",
			"ec",
			"-pkeyopt",
			"ec_paramgen_curve:prime256v1",
			"-nodes",
			"-days",
			String(days),
		].concat(["-subj", "/CN=localhost", "-keyout", join(dir, "key.pem"), "-out", join(dir, "cert.pem")]),
	);
	expect(made.success).toBe(true);
	const [key, cert] = [await readFile(join(dir, "key.pem")), await readFile(join(dir, "cert.pem"))];
	await rm(dir, { recursive: true });
	const server = createServer({ key, cert });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return { url: new URL(`https://localhost:${typeof address === "object" ? address?.port : 0}`), server };
}

test("the end of a server's certificate is read, though nobody here trusts it", async () => {
	const { url, server } = await serverFor(40);
	const days = ((await readEnd(url)) - Date.now()) / DAY_MS;
	expect(days).toBeGreaterThan(39);
	expect(days).toBeLessThan(41);
	server.close();
});

test("a server that is not there is an error", async () => {
	expect(readEnd(new URL("https://127.0.0.1:1"))).rejects.toThrow();
});

test("one that ends soon is in the meters and in the log", async () => {
	const { url, server } = await serverFor(3);
	const [meters, log] = [new FakeMeters(), new FakeLog()];
	const stop = watchCertificates(new Map([["store", url]]), { meters, log });
	while (!meters.gauges.has("svc_certificate_expires_seconds")) await Bun.sleep(5);
	const endsMs = (meters.gauges.get("svc_certificate_expires_seconds")?.() ?? 0) * 1_000;
	expect(endsMs).toBeGreaterThan(Date.now());
	expect(endsMs).toBeLessThan(Date.now() + 4 * DAY_MS);
	expect(JSON.stringify(log)).toContain("ends soon");
	stop();
	server.close();
});

test("the servers that are called with TLS are looked at, and no others", () => {
	const found = upstreams({
		database: { kind: "remote", url: "libsql://db.example.com", token: undefined, isRelaxedAccepted: false },
		storage: { kind: "files", dir: "x" },
		backupTo: undefined,
		mail: { kind: "outbox" },
	});
	expect([...found].map(([server, { host }]) => `${server} ${host}`)).toEqual(["database db.example.com"]);
});
