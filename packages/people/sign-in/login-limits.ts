import type { KeyVersions } from "@svc/base/crypto/keyring";
import { type Mac, sameBytes, toToken } from "@svc/base/crypto/macs";
import type { Throttle } from "@svc/base/database/rate-shared";
import { isIpv6, networkOf } from "@svc/base/http/network";
import { randomBase62 } from "@svc/base/ids";
import type { SendLimits } from "./logins.ts";

/*
 * The bucket that counts a login. Strangers share one for each e-mail; a device that has signed in with it before has its own, and so
 * has a live session: whatever strangers do, the owner of an address gets in from there.
 *
 * `email:<mac>` a sign-in from an unknown device · `device:<nonce>` from a known one · `live:<account>` a step-up ·
 * `change:<mac>` proof of a new address · `test:<mac>` a test person, whose code everybody knows.
 */

const HOUR_MS = 3_600_000;
const NONCE_LENGTH = 22;

export type Rates = { readonly email: number; readonly address: number };

/** The nonce of a device that has signed in with this address before; undefined for anything else. */
export async function knownNonce(
	macs: KeyVersions<Mac>,
	emailNorm: string,
	token: string | null,
): Promise<string | undefined> {
	const [nonce = "", signature = ""] = (token ?? "").split(".", 2);
	if (!/^[0-9A-Za-z]{22}$/.test(nonce)) return undefined;
	const encoder = new TextEncoder();
	for (const mac of macs.all()) {
		const right = encoder.encode(await signatureOf(mac, emailNorm, nonce));
		if (sameBytes(right, encoder.encode(signature))) return nonce;
	}
	return undefined;
}

/** A token for a device to keep. It signs no client in: it only proves that an earlier sign-in succeeded there. */
export async function deviceToken(macs: KeyVersions<Mac>, emailNorm: string, throttleOwner: string): Promise<string> {
	const nonce = throttleOwner.startsWith("device:")
		? throttleOwner.slice("device:".length)
		: randomBase62(NONCE_LENGTH);
	return `${nonce}.${await signatureOf(macs.current(), emailNorm, nonce)}`;
}

async function signatureOf(mac: Mac, emailNorm: string, nonce: string): Promise<string> {
	return toToken(await mac("device", emailNorm, nonce));
}

/** The name of an address or network in a bucket, hashed so that the counters do not reveal who signs in. */
export async function hashedName(mac: Mac, kind: "email" | "address", name: string): Promise<string> {
	return toToken((await mac(kind, name)).subarray(0, 16));
}

/** The bucket of wrong codes; undefined for a test person, where there is nothing to guess. */
export function triesBucket(throttleOwner: string): string | undefined {
	return isTest(throttleOwner) ? undefined : `tries ${throttleOwner}`;
}

/** Pseudonyms of where a login comes from. */
export interface Networks {
	/** An IPv4 address, or an IPv6 /64. */
	readonly host: string;
	/** The IPv6 /48 around it, of which whoever has one has 65,536 hosts; undefined for IPv4. */
	readonly site: string | undefined;
}

/** A site may ask for so many times the codes of one host. */
const HOSTS_PER_SITE = 4;

export async function networksOf(mac: Mac, address: string): Promise<Networks> {
	const host = await hashedName(mac, "address", networkOf(address));
	return { host, site: isIpv6(address) ? await hashedName(mac, "address", networkOf(address, 48)) : undefined };
}

/** A limit of 0 means none. */
export function sendLimits(throttleOwner: string, networks: Networks, rates: Rates): SendLimits {
	// Mails to an address at the wish of strangers share one limit, whatever purpose they claim.
	const ofAddress = throttle(`sends ${throttleOwner.replace(/^change:/, "email:")}`, rates.email);
	const sends = isTest(throttleOwner) ? [] : [ofAddress];
	// A network is shared: a known device is not kept out by a neighbour.
	if (/^(email|change|test):/.test(throttleOwner)) sends.push(...networkThrottles("sends", networks, rates.address));
	return { sends: sends.filter(({ limit }) => limit > 0), tries: triesBucket(throttleOwner) };
}

/** How many pages may offer passkeys by themselves for one that is asked for by a button. */
const OFFERS_PER_PASSKEY = 10;

/**
 * As often in an hour as a passkey may be asked for; a limit of 0 means none.
 * @param offered a page asks by itself when it is opened: that leaves whoever presses the button all that they have
 */
export function passkeyThrottles(networks: Networks, { address }: Rates, offered: boolean): readonly Throttle[] {
	const throttles = offered
		? networkThrottles("passkey offers", networks, address * OFFERS_PER_PASSKEY)
		: networkThrottles("passkeys", networks, address);
	return throttles.filter(({ limit }) => limit > 0);
}

/** For somebody who is signed in: enough to fill an account with passkeys, and to do so once more. */
export function ownPasskeyThrottle(accountId: string): Throttle {
	return throttle(`passkeys live:${accountId}`, 60);
}

function networkThrottles(
	kind: "sends" | "passkeys" | "passkey offers",
	{ host, site }: Networks,
	limit: number,
): readonly Throttle[] {
	const ofHost = throttle(`${kind} network:${host}`, limit);
	return site === undefined ? [ofHost] : [ofHost, throttle(`${kind} site:${site}`, limit * HOSTS_PER_SITE)];
}

function isTest(throttleOwner: string): boolean {
	return throttleOwner.startsWith("test:");
}

function throttle(bucket: string, limit: number): Throttle {
	return { bucket, limit, windowMs: HOUR_MS };
}
