import type { World } from "../../world.ts";

const PATIENCE_MS = 10_000;

/** An answer without /v1's conventions: of a load balancer's address, or the transform host. */
export interface ProbeAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly body: Uint8Array;
}

/** Asks an address without a key, and follows nothing. @throws whatever the runtime says of a connection that fails */
export async function probe(world: World, url: string, timeoutMs = PATIENCE_MS): Promise<ProbeAnswer> {
	const signal = AbortSignal.any([world.signal, AbortSignal.timeout(timeoutMs)]);
	const response = await world.fetch(url, { method: "GET", redirect: "manual", signal });
	return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

export function addressOf(baseUrl: string, path: string): string {
	return `${baseUrl.replace(/\/+$/, "")}${path}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null;
}

/** What `/readyz` says; undefined for an answer that is not the service's own. */
export interface Readiness {
	readonly ready: boolean;
	/** `ok`, or what is the matter, by part of the service. */
	readonly checks: Readonly<Record<string, string>>;
}

export function readReadiness({ body }: ProbeAnswer): Readiness | undefined {
	try {
		const answer: unknown = JSON.parse(new TextDecoder().decode(body));
		if (!isRecord(answer) || typeof answer.ready !== "boolean" || !isRecord(answer.checks)) return undefined;
		const checks = Object.entries(answer.checks).map(([name, state]) => [name, String(state)]);
		return { ready: answer.ready, checks: Object.fromEntries(checks) };
	} catch {
		return undefined;
	}
}
