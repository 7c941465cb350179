import type { IncomingMessage, ServerResponse } from "node:http";
import { startOrigin } from "./origin.ts";
import { as } from "./people.ts";
import { plain } from "./pictures.ts";
import { send, uploaded } from "./requests.ts";
import { type OpenService, openService } from "./service.ts";
import { makeKey, makeTeam } from "./teams.ts";

/* A service and a receiver of its webhooks, for tests. */

interface Received {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export type Answers = (received: Received, response: ServerResponse) => void;

export type Json = Readonly<Record<string, unknown>> & { readonly id: string };

export interface Delivery extends Json {
	readonly event_id: string;
	readonly state: string;
	readonly next_attempt_at: string | null;
	readonly attempts: readonly {
		readonly status: number | null;
		readonly error: string | null;
		readonly response: string | null;
	}[];
}

export function status(code: number, headers: Record<string, string> = {}): Answers {
	return (_, response) => response.writeHead(code, headers).end();
}

/** A receiver on loopback: what came, and how each path answers. */
export async function openReceiver() {
	const received: Received[] = [];
	const answers = new Map<string, Answers>();
	const origin = await startOrigin(async (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const headers = request.headers as Readonly<Record<string, string>>;
		const one = { path: request.url ?? "", headers, body: Buffer.concat(chunks).toString() };
		received.push(one);
		const answer = answers.get(one.path);
		if (answer) answer(one, response);
		else response.end("thanks");
	});
	return { received, answers, origin };
}

let paths = 0;

/** A receiver, a service that may send to it, and endpoints of Apps. */
export async function openHooks() {
	const receiver = await openReceiver();
	const { received, answers, origin } = receiver;
	const service: OpenService = await openService({ SVC_IMPORT_ALLOW: origin.host });
	const file = await plain(8, 8);

	/** A team, a key of it, and an endpoint at a path of its own. */
	async function withEndpoint(answer?: Answers, types: readonly string[] = ["image.*"]) {
		const team = await makeTeam(service);
		const key = await makeKey(service, team.owner, team.path);
		paths += 1;
		const path = `/hooks/${paths}`;
		if (answer) answers.set(path, answer);
		const ask = async (method: string, at: string, body?: unknown): Promise<Json> => {
			const response = await send(service, method, `${team.path}/webhook_endpoints${at}`, body, as(team.admin));
			if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
			return (await response.json()) as Json;
		};
		const endpoint = await ask("POST", "", { url: origin.url(path), types });
		return {
			team,
			ask,
			endpoint,
			at: `/${endpoint.id}`,
			secret: String(endpoint.secret),
			got: () => received.filter((one) => one.path === path),
			change: async () => await uploaded(service, file, "a.png", {}, { key: key.secret }),
			deliveries: async (query = "") =>
				(await ask("GET", `/${endpoint.id}/deliveries${query}`)).data as readonly Delivery[],
		};
	}

	return {
		...receiver,
		service,
		withEndpoint,
		forward: (ms: number) => service.clock.set(service.clock.now() + ms),
		async close() {
			await service.close();
			origin.stop();
		},
	};
}
