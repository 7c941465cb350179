import { Failure } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import * as v from "valibot";
import type { ProcessorEvent } from "../ports.ts";
import type { SimObject } from "./sim-objects-store.ts";

/* Deliveries of the simulated processor are signed as real ones are: an HMAC over the timestamp and the body, in one header. */

export const SIGNATURE_HEADER = "Sim-Signature";
/** An older delivery may have been recorded and sent again. */
const TOLERANCE_MS = 300_000;

export async function signingKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
	return await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

export async function sign(key: CryptoKey, raw: string, nowMs: number): Promise<string> {
	const mac = await crypto.subtle.sign("HMAC", key, signedBytes(raw, nowMs));
	return `t=${nowMs},v1=${hex(new Uint8Array(mac))}`;
}

/**
 * Undefined for what is signed, but is no event.
 * @throws Failure unauthorized for what was not signed with the key, or too long ago
 */
export async function verify(
	key: CryptoKey,
	raw: string,
	header: string | null,
	nowMs: number,
): Promise<ProcessorEvent | undefined> {
	const match = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(header ?? "");
	const [, moment = "", mac = ""] = match ?? [];
	const atMs = Number(moment);
	if (!match || Math.abs(nowMs - atMs) > TOLERANCE_MS) throw unsigned();
	if (!(await crypto.subtle.verify("HMAC", key, unhex(mac), signedBytes(raw, atMs)))) throw unsigned();
	const event = v.safeParse(eventSchema, raw);
	return event.success ? event.output : undefined;
}

const text = v.pipe(v.string(), v.nonEmpty());
const eventSchema = v.pipe(
	v.string(),
	v.parseJson(),
	v.object({ id: text, type: text, subscription: v.nullable(text) }),
);

function unsigned(): Failure {
	return Failure.saying("unauthorized", "This delivery is not signed by the payment processor.");
}

function signedBytes(raw: string, atMs: number): Uint8Array<ArrayBuffer> {
	return new TextEncoder().encode(`${atMs}.${raw}`);
}

function hex(bytes: Uint8Array): string {
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unhex(text: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** The event is to be delivered at once. */
export function newSimEvent(type: string, subscription: string, nowMs: number): SimObject {
	const event: ProcessorEvent = { id: newId("sim"), type, subscription };
	return { kind: "event", id: event.id, revision: 0, dueMs: nowMs, value: event };
}
