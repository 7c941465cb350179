import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:https";
import type { App } from "@svc/sdk/shapes";
import { type Dns, openDns } from "../support/dns.ts";
import { plain } from "../support/pictures.ts";
import { proxyAddresses, proxyNote, startProxy, withoutProxy } from "../support/proxy.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { ask, makeKey, makeTeam } from "../support/teams.ts";

/* The proxy of the deployment files gets a certificate for the image host of an App when it is first asked for, and for no other host. */

describe.skipIf(withoutProxy)(`Caddy before hosts of Apps${proxyNote}`, () => {
	let dns: Dns;
	let service: StartedService;
	let proxy: AsyncDisposable;
	let port: number;

	beforeAll(async () => {
		dns = await openDns();
		const addresses = await proxyAddresses();
		service = await startService({
			...{ SVC_VARIANT: "current", SVC_DNS_SERVER: dns.address },
			...{ SVC_BASE_URL: addresses.baseUrl, SVC_WEB_URL: addresses.baseUrl, SVC_CDN_URL: addresses.cdnUrl },
		});
		const { port: at } = new URL(service.baseUrl);
		port = Number(new URL(addresses.baseUrl).port);
		proxy = await startProxy(addresses, [`127.0.0.1:${at}`], true);
	}, 120_000);
	afterAll(async () => {
		await proxy[Symbol.asyncDispose]();
		await service.stop();
		dns.close();
	});

	/** The status; undefined where there is no certificate. */
	const statusOf = (host: string, path: string) =>
		new Promise<number | undefined>((resolve) => {
			const options = { host: "127.0.0.1", port, servername: host, path, headers: { Host: host } };
			const sent = request({ ...options, rejectUnauthorized: false, agent: false }, (answer) => {
				answer.resume();
				resolve(answer.statusCode);
			});
			sent.on("error", () => resolve(undefined));
			sent.end();
		});

	test("a verified host is served over TLS, another one gets no certificate, and no stranger is told which there are", async () => {
		const team = await makeTeam(service);
		const { secret: key } = await makeKey(service, team.owner, team.path);
		const { pathname } = new URL((await uploaded(service, await plain(6, 6), "a.png", {}, { key })).url);
		const host = "img.example.com";
		const { body } = await ask(service, team.owner, "PATCH", team.path, { image_host: host });
		expect(await statusOf(host, pathname)).toBeUndefined();
		const { record } = body.image_host as NonNullable<App["image_host"]>;
		dns.set(record.name, record.value);
		await ask(service, team.owner, "POST", `${team.path}/image_host/verify`);
		expect(await statusOf(host, pathname)).toBe(200);
		expect(await statusOf("other.example.com", pathname)).toBeUndefined();
		// Who comes from outside is named by the proxy; here that is this machine itself, which may ask.
		expect(await statusOf(host, `/tls/ask?domain=${host}`)).toBe(200);
	});
});
