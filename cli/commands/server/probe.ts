import type { Context } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import type { Process } from "../../kit/process.ts";
import {
	baseUrlSetting,
	checkAddress,
	checkBound,
	DEFAULT_BASE_URL,
	findProfile,
	hasKeySetting,
} from "../../profile/profile.ts";

const PATIENCE_MS = 10_000;

/** An answer without /v1's conventions: of a load balancer's address, or the transform host. */
export interface ProbeAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly body: Uint8Array;
}

/** The answer of `/readyz`; undefined for an answer that is not the service's own. */
interface Readiness {
	readonly ready: boolean;
	/** `ok`, or what is the matter, by part of the service. */
	readonly checks: Readonly<Record<string, string>>;
}

export const BASE_URL_ARG = {
	"base-url": takes.text("Ask this service, without any key", "address"),
} as const;

interface ServiceAddress {
	readonly baseUrl: string;
	/** Whether there is a key or token that may be sent there. */
	readonly hasKey: boolean;
}

/** Asks an address without a key, and follows nothing. @throws whatever the runtime says of a connection that fails */
export async function probe(process: Process, url: string, timeoutMs = PATIENCE_MS): Promise<ProbeAnswer> {
	const signal = AbortSignal.any([process.signal, AbortSignal.timeout(timeoutMs)]);
	const response = await process.fetch(url, { method: "GET", redirect: "manual", signal });
	return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

export function addressOf(baseUrl: string, path: string): string {
	return `${baseUrl.replace(/\/+$/, "")}${path}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null;
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

/** The health of a service can be read without a key. */
export async function serviceAddress(context: Context, asked: string | undefined): Promise<ServiceAddress> {
	const { credentials, globals, process } = context;
	if (asked !== undefined) return withoutKey(asked, "--base-url");
	const withKey = async () => ({ baseUrl: (await credentials()).baseUrl, hasKey: true });
	if (hasKeySetting(process) && globals.profile === undefined) return await withKey();
	const found = await findProfile(process, globals.profile);
	if (found === undefined) {
		// Says that there is no such profile.
		if (globals.profile !== undefined) return await withKey();
		return withoutKey(baseUrlSetting(process) ?? DEFAULT_BASE_URL, "SVC_BASE_URL");
	}
	const { api_key, token, base_url } = found.profile;
	if (api_key !== undefined || token !== undefined) return await withKey();
	checkBound(process, found);
	return withoutKey(base_url, `profile "${found.name}"`);
}

function withoutKey(baseUrl: string, source: string): ServiceAddress {
	checkAddress(baseUrl, source);
	return { baseUrl, hasKey: false };
}
