import { test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { addApp } from "../support/apps.ts";
import { plain } from "../support/pictures.ts";
import { form } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { MEASURED, REQUESTS, type Scene } from "./request-lines.ts";

/* What request-lines.ts measures: a scene of so many requests in one process. It is run by that file alone. */

const SCENES: Readonly<Record<Scene, (service: OpenService, requests: number) => Promise<void>>> = {
	get: async (service, requests) => {
		const { id } = await made(service, service.apiKey);
		for (let sent = 0; sent < requests; sent += 1) await answered(service, `/v1/images/${id}`, service.apiKey);
	},
	upload: async (service, requests) => {
		for (let sent = 0; sent < requests; sent += 1) await made(service, service.apiKey);
	},
	kept: async (service, requests) => {
		const { key } = await addApp(service.database);
		const other = await made(service, key);
		const { url } = await made(service, service.apiKey);
		const [rendition, before] = [`${url}?w=16`, `${url}?w=17`];
		await shown(service, rendition);
		await shown(service, before);
		const took: number[] = [];
		for (let round = 0; round < requests * 10; round += 1) {
			const labels = { method: "PATCH", body: JSON.stringify({ labels: { round: `${round}` } }) };
			await answered(service, `/v1/images/${other.id}`, key, labels);
			// Whatever comes first after a change is slow, be it kept or not: the processor has forgotten the way of a request. Another address takes that.
			await shown(service, before);
			const startMs = performance.now();
			await shown(service, rendition);
			took.push(performance.now() - startMs);
		}
		// The first quartile: what the change left to do in the background takes its turns between these requests.
		const [quartile = Number.NaN] = took.sort((one, another) => one - another).slice(took.length / 4);
		process.stdout.write(`${MEASURED} ${quartile}\n`);
	},
};

const [scene, requests] = (process.env[REQUESTS] ?? "").split(" ");

test("the requests of a scene are answered", async () => {
	const service = await openService();
	try {
		await SCENES[scene as Scene](service, Number(requests));
	} finally {
		await service.close();
	}
});

async function made(service: OpenService, key: string): Promise<Image> {
	const body = form(await plain(64, 48), "small.png");
	return (await answered(service, "/v1/images", key, { method: "POST", body })).json();
}

/** Sent to the service itself: what the checks of other tests ask for besides would be counted here. */
async function answered(service: OpenService, path: string, key: string, init: RequestInit = {}): Promise<Response> {
	const type = typeof init.body === "string" ? { "Content-Type": "application/json" } : {};
	const address = new URL(path, "http://localhost:3000");
	const headers = { Host: address.host, Authorization: `Bearer ${key}`, ...type };
	const answer = await service.handle(new Request(address, { ...init, headers }));
	if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${answer.status} ${await answer.text()}`);
	return answer;
}

async function shown(service: OpenService, url: string): Promise<void> {
	const answer = await service.handle(new Request(url, { headers: { Host: new URL(url).host } }));
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	await answer.arrayBuffer();
}
