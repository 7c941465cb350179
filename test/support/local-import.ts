import { afterEach, expect } from "bun:test";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Failure } from "@svc/base/failure";
import { safeImporter } from "@svc/import/safe-fetch";
import { type Host, type Network, network, selfSigned, serve, serveRaw } from "./local-network.ts";

/* For tests: an importer on a local internet, and the outcomes that it may have. */

export const PUBLIC = "93.184.216.34";
export const OTHER = "93.184.216.35";
export const PRIVATE = "10.1.2.3";
export const IMAGE_URL = "http://img.example.com/cat.png";
const NAMES = { "img.example.com": [[PUBLIC]], "other.example.com": [[OTHER]], "inner.example.com": [[PRIVATE]] };
export const certificate = selfSigned();

type Options = Omit<Parameters<typeof safeImporter>[0], "allow" | "resolve" | "dial">;

let hosts: Host[] = [];
let networks: Network[] = [];

/** Whatever happens, both sides of every connection are closed: this becomes part of each test of a file that calls it. */
export function leaveNothingOpen(): void {
	afterEach(closeAll);
}

async function closeAll(): Promise<void> {
	const isOpen = () => hosts.some(({ open }) => open.size > 0);
	for (let waits = 0; waits < 50 && isOpen(); waits++) await setTimeout(10);
	const left = hosts.reduce((sum, { open }) => sum + open.size, 0);
	const undestroyed = networks.flatMap(({ sockets }) => sockets).filter(({ destroyed }) => !destroyed).length;
	for (const host of hosts) host.close();
	hosts = [];
	networks = [];
	expect({ left, undestroyed }).toEqual({ left: 0, undestroyed: 0 });
}

export async function host(respond: string | ((socket: Socket, head: string) => void), tls = false): Promise<Host> {
	const say = typeof respond === "string" ? (socket: Socket) => void socket.write(respond) : respond;
	const made = await serve(say, tls ? certificate : undefined);
	hosts.push(made);
	return made;
}

export async function rawHost(greet: (socket: Socket) => void): Promise<Host> {
	const made = await serveRaw(greet);
	hosts.push(made);
	return made;
}

export function internet(
	reachable: Readonly<Record<string, Host>>,
	names: Parameters<typeof network>[1] = NAMES,
): Network {
	const made = network(reachable, names);
	networks.push(made);
	return made;
}

export function fetchFrom(net: Network, url = IMAGE_URL, options: Options = {}): Promise<string> {
	const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial, deadlineMs: 2_000, ...options });
	return importer.fetch(url, text);
}

export async function failureOf(work: Promise<unknown>): Promise<Pick<Failure, "code" | "details" | "timedOut">> {
	const error = await work.then(
		(value) => new Error(`nothing was refused: ${String(value).slice(0, 50)}`),
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Failure)) throw error;
	expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/10\.1\.2\.3|127\.0\.0\.1|93\.184|inner/);
	const { code, details, timedOut } = error;
	return { code, details, timedOut };
}

export const refusal = (why: string) =>
	({ code: "validation_error", details: { url: [why] }, timedOut: false }) as const;
export const unfetchable = (why: string) =>
	({ code: "fetch_failed", details: { url: [why] }, timedOut: false }) as const;
export const NOT_PUBLIC = refusal("is not a public address");
export const MISLED = refusal("redirects to an address that is not allowed");
export const tooLarge = (bytes: string) =>
	({ code: "validation_error", details: { file: [`is larger than ${bytes} bytes`] }, timedOut: false }) as const;
export const BAD_HTTP = unfetchable("does not answer in valid HTTP");
export const BROKEN = unfetchable("broke off, or sent another length than it declared");
export const LATE = { code: "fetch_failed", details: { url: ["did not arrive in time"] }, timedOut: true } as const;

export async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}
