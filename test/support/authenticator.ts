import { sign, X509Certificate } from "node:crypto";
import type { Certificate } from "./local-network.ts";

/*
 * An authenticator in software, for tests without a browser: it makes passkeys and signs with them, and says of itself what a test
 * wants it to say. CBOR is written by hand: it takes five kinds of values.
 */

interface CreationOptions {
	readonly challenge: string;
	readonly rp: { readonly id: string };
	readonly user: { readonly id: string };
}

interface RequestOptions {
	readonly challenge: string;
	readonly rpId: string;
}

/** What it says instead of the truth. */
interface Claims {
	readonly origin?: string;
	readonly rpId?: string;
	readonly challenge?: string;
	readonly type?: string;
	/** Whether it says that somebody was verified. */
	readonly verified?: boolean;
	readonly counter?: number;
	/** Of a new passkey. */
	readonly algorithm?: keyof typeof ALGORITHMS;
	readonly userHandle?: string | undefined;
	/** Replaces the attestation object. */
	readonly attestationObject?: Uint8Array;
	/** Name and statement of an attestation. */
	readonly attestation?: readonly [format: string, statement: ReadonlyMap<string, CborValue>];
	/** Signs a `packed` attestation that is in order. */
	readonly maker?: Certificate;
	readonly id?: string;
}

const bytesOf = (text = "") => Uint8Array.fromBase64(text, { alphabet: "base64url" });

/** How keys are made, written in COSE, and sign. */
const ALGORITHMS = {
	ES256: {
		make: { name: "ECDSA", namedCurve: "P-256" },
		cose: ({ x, y }: JsonWebKey) => [
			[1, 2],
			[3, -7],
			[-1, 1],
			[-2, bytesOf(x)],
			[-3, bytesOf(y)],
		],
		sign: { name: "ECDSA", hash: "SHA-256" },
		written: derOf,
	},
	Ed25519: {
		make: { name: "Ed25519" },
		cose: ({ x }: JsonWebKey) => [
			[1, 1],
			[3, -8],
			[-1, 6],
			[-2, bytesOf(x)],
		],
		sign: { name: "Ed25519" },
		written: (raw: Uint8Array) => raw,
	},
	RS256: {
		make: {
			name: "RSASSA-PKCS1-v1_5",
			modulusLength: 2_048,
			publicExponent: new Uint8Array([1, 0, 1]),
			hash: "SHA-256",
		},
		cose: ({ n, e }: JsonWebKey) => [
			[1, 3],
			[3, -257],
			[-1, bytesOf(n)],
			[-2, bytesOf(e)],
		],
		sign: { name: "RSASSA-PKCS1-v1_5" },
		written: (raw: Uint8Array) => raw,
	},
} as const;
export const ALGORITHM_NAMES = ["ES256", "Ed25519", "RS256"] as const satisfies readonly (keyof typeof ALGORITHMS)[];

type CborValue = number | string | Uint8Array | readonly CborValue[] | ReadonlyMap<CborValue, CborValue>;

export interface SoftPasskey {
	readonly id: Uint8Array<ArrayBuffer>;
	readonly keys: CryptoKeyPair;
	readonly algorithm: keyof typeof ALGORITHMS;
	/** Base64url. */
	readonly userHandle: string;
	counter: number;
}

const ORIGIN = "http://localhost:3000";
const [USER_PRESENT, USER_VERIFIED, ATTESTED] = [1, 4, 64];

/** A new passkey, and the JSON of the browser's answer. */
export async function makePasskey(options: CreationOptions, claims: Claims = {}) {
	const { algorithm = "ES256" } = claims;
	const keys = (await crypto.subtle.generateKey(ALGORITHMS[algorithm].make, true, ["sign", "verify"])) as CryptoKeyPair;
	const id = crypto.getRandomValues(new Uint8Array(16));
	const passkey: SoftPasskey = { id, algorithm, keys, userHandle: options.user.id, counter: claims.counter ?? 0 };
	return { passkey, credential: await tellOf(passkey, options, claims) };
}

/** The JSON of the browser's answer about a passkey that was just made. */
export async function tellOf(passkey: SoftPasskey, options: CreationOptions, claims: Claims = {}) {
	const { id, counter } = passkey;
	const data = new Uint8Array([
		...(await head(claims.rpId ?? options.rp.id, ATTESTED, counter, claims)),
		...new Uint8Array(16),
		...[0, id.length],
		...id,
		...cbor(await coseKey(passkey)),
	]);
	const clientDataJSON = clientData("webauthn.create", options.challenge, claims);
	const made = claims.maker && (await attestedBy(claims.maker, data, clientDataJSON));
	const [format, statement] = made ?? claims.attestation ?? ["none", new Map<string, CborValue>()];
	const attested: ReadonlyMap<CborValue, CborValue> = new Map<CborValue, CborValue>([
		["fmt", format],
		["attStmt", statement],
		["authData", data],
	]);
	return {
		...common(claims.id ?? text64(id)),
		response: {
			clientDataJSON,
			attestationObject: text64(claims.attestationObject ?? cbor(attested)),
			transports: ["internal", "hybrid"],
		},
	};
}

/** What the maker of an authenticator certifies (WebAuthn, 8.2). */
async function attestedBy({ key, cert }: Certificate, data: Uint8Array, clientDataJSON: string) {
	const hashed = await sha256(bytesOf(clientDataJSON));
	const statement = new Map<string, CborValue>([
		["alg", -7],
		["sig", new Uint8Array(sign("sha256", join(data, hashed), key))],
		["x5c", [new Uint8Array(new X509Certificate(cert).raw)]],
	]);
	return ["packed", statement] as const;
}

/** A signature over a challenge, as the JSON of the browser's answer. */
export async function signWith(passkey: SoftPasskey, options: RequestOptions, claims: Claims = {}) {
	if (claims.counter !== undefined) passkey.counter = claims.counter;
	const clientDataJSON = clientData("webauthn.get", options.challenge, claims);
	const data = await head(claims.rpId ?? options.rpId, 0, passkey.counter, claims);
	const hashed = await sha256(Uint8Array.fromBase64(clientDataJSON, { alphabet: "base64url" }));
	const signed = new Uint8Array([...data, ...hashed]);
	const { sign, written } = ALGORITHMS[passkey.algorithm];
	const raw = await crypto.subtle.sign(sign, passkey.keys.privateKey, signed);
	return {
		...common(claims.id ?? text64(passkey.id)),
		response: {
			clientDataJSON,
			authenticatorData: text64(data),
			signature: text64(written(new Uint8Array(raw))),
			userHandle: "userHandle" in claims ? claims.userHandle : passkey.userHandle,
		},
	};
}

/** CBOR (RFC 8949) of small values. */
function cbor(value: CborValue): Uint8Array<ArrayBuffer> {
	if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
	if (typeof value === "string") return join(cborHead(3, Buffer.byteLength(value)), new TextEncoder().encode(value));
	if (value instanceof Uint8Array) return join(cborHead(2, value.length), value);
	if (value instanceof Map) {
		return join(cborHead(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)]));
	}
	const items = value as readonly CborValue[];
	return join(cborHead(4, items.length), ...items.map(cbor));
}

function cborHead(major: number, size: number): Uint8Array<ArrayBuffer> {
	if (size < 24) return new Uint8Array([(major << 5) | size]);
	if (size < 256) return new Uint8Array([(major << 5) | 24, size]);
	return new Uint8Array([(major << 5) | 25, size >> 8, size & 255]);
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	return new Uint8Array(parts.flatMap((part) => [...part]));
}

function common(id: string) {
	return { id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {} };
}

function clientData(type: string, challenge: string, claims: Claims): string {
	const said = { type, challenge, origin: ORIGIN, crossOrigin: false, ...claimedOf(claims) };
	return text64(new TextEncoder().encode(JSON.stringify(said)));
}

function claimedOf({ type, challenge, origin }: Claims) {
	return { ...(type && { type }), ...(challenge && { challenge }), ...(origin && { origin }) };
}

async function head(rpId: string, flags: number, counter: number, { verified = true }: Claims) {
	const said = USER_PRESENT | flags | (verified ? USER_VERIFIED : 0);
	const counted = [counter >>> 24, counter >>> 16, counter >>> 8, counter].map((byte) => byte & 255);
	return new Uint8Array([...(await sha256(new TextEncoder().encode(rpId))), said, ...counted]);
}

async function coseKey({ algorithm, keys }: SoftPasskey): Promise<ReadonlyMap<CborValue, CborValue>> {
	const key = await crypto.subtle.exportKey("jwk", keys.publicKey);
	return new Map<CborValue, CborValue>(ALGORITHMS[algorithm].cose(key) as [CborValue, CborValue][]);
}

/** Authenticators write signatures in DER, WebCrypto as two numbers. */
function derOf(raw: Uint8Array): Uint8Array {
	const numbers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
		const first = number.findIndex((byte) => byte !== 0);
		const short = number.subarray(Math.max(0, first));
		const positive = (short[0] ?? 0) > 127 ? [0, ...short] : [...short];
		return [2, positive.length, ...positive];
	});
	const inside = numbers.flat();
	return new Uint8Array([48, inside.length, ...inside]);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function text64(bytes: Uint8Array): string {
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
