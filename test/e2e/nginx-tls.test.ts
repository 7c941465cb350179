import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { nginxNote, startNginx, withoutNginx } from "../support/nginx.ts";
import { freePorts } from "../support/ports.ts";
import { removeData, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { printedKey } from "../support/whole-service.ts";

/* All of the service behind nginx with TLS, in the configuration that the deployment files have, by the hosts that stand there. */

const ADDRESSES = {
	SVC_BASE_URL: "https://images.example.com",
	SVC_WEB_URL: "https://images.example.com",
	SVC_CDN_URL: "https://img.example.com",
};
/** Of a picture without any pattern, of a little less than 20 MB. */
const SIDE = 2_550;

async function open() {
	const [outside = 0, inside = 0] = await freePorts(2);
	const server = await startProcess({ ...ADDRESSES, SVC_LISTEN: `127.0.0.1:${inside}` });
	const nginx = await startNginx("nginx-tls.conf", { upstream: inside, port: outside });
	/** Through the proxy, whoever the name belongs to. */
	const ask = (address: string, init: RequestInit = {}) => {
		const { host, pathname, search } = new URL(address);
		const headers = { ...Object.fromEntries(new Headers(init.headers)), Host: host };
		const tls = { rejectUnauthorized: false };
		return fetch(`https://127.0.0.1:${outside}${pathname}${search}`, { ...init, headers, tls });
	};
	while (!(await ask(`${ADDRESSES.SVC_BASE_URL}/readyz`)).ok) await Bun.sleep(50);
	return {
		...{ ask, key: await printedKey(server.stdout) },
		async [Symbol.asyncDispose]() {
			await nginx[Symbol.asyncDispose]();
			await server.stop();
			await removeData(server.dataDir);
		},
	};
}

describe.skipIf(withoutNginx)(`the whole service behind nginx with TLS${nginxNote}`, () => {
	test("takes files of 20 MB, serves pictures and pages, and leaves it to the service to refuse what is larger", async () => {
		await using place = await open();
		const { ask, key } = place;
		const headers = { Authorization: `Bearer ${key}` };
		const send = async (file: Uint8Array<ArrayBuffer>) =>
			await ask(`${ADDRESSES.SVC_BASE_URL}/v1/images`, { method: "POST", headers, body: form(file, "a.png") });

		const raw = sharp(randomBytes(SIDE ** 2 * 3), { raw: { width: SIDE, height: SIDE, channels: 3 } });
		const large = new Uint8Array(await raw.png({ compressionLevel: 0 }).toBuffer());
		expect([large.length > 19_000_000, large.length < 20_000_000]).toEqual([true, true]);
		const kept = await send(large);
		const image = (await kept.json()) as { readonly url: string };
		expect([kept.status, image.url.startsWith(ADDRESSES.SVC_CDN_URL)]).toEqual([201, true]);
		expect((await ask(`${image.url}?w=20`)).headers.get("content-type")).toBe("image/png");

		// 413 without the service's own words would be the proxy's.
		const refused = await send(new Uint8Array(20_500_000));
		expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("validation_error")]);
		const page = await ask(`${ADDRESSES.SVC_BASE_URL}/account`);
		expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<form")]);
	}, 120_000);
});
