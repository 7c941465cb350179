import { isIP } from "node:net";
import type { AttestationObject } from "@simplewebauthn/server/helpers";
import { sameBytes, toToken } from "@svc/base/crypto/macs";
import type { People } from "../room.ts";
import type { KnownCredential } from "./passkey.ts";
import type { Assertion, NewCredential } from "./passkey-credentials.ts";

/*
 * What is asked of authenticators, and what counts as their proof. Bytes come from anybody: whatever the library refuses, by whatever error,
 * is no proof.
 */

/** Minutes, which the browser keeps to as well. */
export const OPTIONS_MINUTES = 5;
const TIMEOUT_MS = OPTIONS_MINUTES * 60_000;

/** By their numbers in COSE, the most compact first: ES256, Ed25519, RS256. */
const ALGORITHMS = [-7, -8, -257];

/** What options are made for: the part of a room that knows the addresses and the name of the service. */
type Site = Pick<People, "addresses" | "name" | "nameMac">;

/** The options of a browser's call, as JSON. */
export type PublicKeyJson = Readonly<Record<string, unknown>>;

type Bytes = Uint8Array<ArrayBuffer>;

/** A seventh of a start's time, and ten megabytes, which a service without passkeys never needs. */
const library = () => import("@simplewebauthn/server");

interface Holder {
	readonly id: string;
	readonly email: string;
}

/** `PublicKeyCredentialCreationOptionsJSON`. @param known the account's passkeys: their authenticators make no second one */
export async function creationOptions(
	site: Site,
	holder: Holder,
	challenge: Bytes,
	known: readonly KnownCredential[],
): Promise<PublicKeyJson> {
	const { generateRegistrationOptions } = await library();
	const options = await generateRegistrationOptions({
		rpName: site.name,
		rpID: hostOf(site),
		userName: holder.email,
		userDisplayName: holder.email,
		userID: await userHandle(site, holder.id),
		challenge,
		timeout: TIMEOUT_MS,
		attestationType: "none",
		excludeCredentials: known.map(described),
		authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
		supportedAlgorithmIDs: ALGORITHMS,
	});
	return { ...options };
}

/** `PublicKeyCredentialRequestOptionsJSON`. @param known those that will do; none: the browser shows what it has for this service */
export async function requestOptions(
	site: Site,
	challenge: Bytes,
	known: readonly KnownCredential[] = [],
): Promise<PublicKeyJson> {
	const { generateAuthenticationOptions } = await library();
	const options = await generateAuthenticationOptions({
		rpID: hostOf(site),
		challenge,
		timeout: TIMEOUT_MS,
		userVerification: "required",
		...(known.length > 0 && { allowCredentials: known.map(described) }),
	});
	// What is not said is left out, as it is of JSON.
	return JSON.parse(JSON.stringify(options)) as PublicKeyJson;
}

function fromToken(text: string): Bytes {
	return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function described({ credentialId, transports }: KnownCredential) {
	return { id: toToken(credentialId), ...(transports.length > 0 && { transports: [...transports] }) };
}

export interface NewPublicKey {
	readonly credentialId: Bytes;
	/** In COSE. */
	readonly publicKey: Bytes;
	readonly counter: number;
}

/** The key of a passkey that was made for this challenge, here, by somebody who was verified; undefined for anything else. */
export async function proveNewPasskey(
	site: Site,
	{ id, response }: NewCredential,
	challenge: Uint8Array,
): Promise<NewPublicKey | undefined> {
	const { verifyRegistrationResponse } = await library();
	const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
	try {
		refuseAttestation(decodeAttestationObject(fromToken(response.attestationObject)));
		const { verified, registrationInfo } = await verifyRegistrationResponse({
			response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response: shapeOf(response) },
			...expectedOf(site, challenge),
			supportedAlgorithmIDs: ALGORITHMS,
		});
		if (!verified || registrationInfo.credential.id !== id) return undefined;
		const { publicKey, counter } = registrationInfo.credential;
		return { credentialId: fromToken(id), publicKey, counter };
	} catch {
		return undefined;
	}
}

/**
 * None was asked for, and a browser sends none but that of a key for itself. Others come with certificates, for which the library would
 * look up lists on the network at addresses that are written in them.
 */
function refuseAttestation(decoded: AttestationObject): void {
	const format = decoded.get("fmt");
	const bySelf = format === "packed" && decoded.get("attStmt").get("x5c") === undefined;
	if (format !== "none" && !bySelf) throw new Error("an attestation that nobody asked for");
}

/** A passkey that is to have signed. */
export interface SigningPasskey {
	readonly publicKey: Bytes;
	readonly accountId: string;
}

/**
 * How often the passkey has signed, as it says itself, where it signed this challenge, here, for somebody who was verified; undefined for
 * anything else. Whether that is more than before is the commit's to compare: only there nobody comes between.
 * @param mustName whether it has to say whose it is
 */
export async function proveAssertion(
	site: Site,
	{ id, response }: Assertion,
	challenge: Uint8Array,
	{ publicKey, accountId }: SigningPasskey,
	mustName: boolean,
): Promise<number | undefined> {
	if (!(await namesHolder(site, response.userHandle, accountId, mustName))) return undefined;
	const { userHandle: _, ...shape } = response;
	const { verifyAuthenticationResponse } = await library();
	try {
		const { verified, authenticationInfo } = await verifyAuthenticationResponse({
			response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response: shape },
			...expectedOf(site, challenge),
			// The library would compare before it has checked the signature.
			credential: { id, publicKey, counter: 0 },
		});
		return verified ? authenticationInfo.newCounter : undefined;
	} catch {
		return undefined;
	}
}

async function namesHolder(site: Site, said: string | undefined, accountId: string, must: boolean): Promise<boolean> {
	if (said === undefined) return !must;
	const encoder = new TextEncoder();
	return sameBytes(encoder.encode(said), encoder.encode(toToken(await userHandle(site, accountId))));
}

function expectedOf(site: Site, challenge: Uint8Array) {
	return {
		expectedChallenge: toToken(challenge),
		expectedOrigin: new URL(site.addresses.web).origin,
		expectedRPID: hostOf(site),
		requireUserVerification: true,
	};
}

function shapeOf({ clientDataJSON, attestationObject }: NewCredential["response"]) {
	return { clientDataJSON, attestationObject };
}

/** The relying party's id: passkeys work on this host alone. */
function hostOf({ addresses }: Pick<Site, "addresses">): string {
	return new URL(addresses.web).hostname;
}

/** Browsers know passkeys of hosts with a name alone (WebAuthn, 5.1.3: an effective domain), `localhost` among them. */
export function takesPasskeys(site: Pick<Site, "addresses">): boolean {
	return isIP(hostOf(site).replace(/^\[|\]$/g, "")) === 0;
}

/** Random to whoever lacks the service's secret, and the same for all passkeys of an account, so that an authenticator keeps one of each. */
function userHandle({ nameMac }: Site, accountId: string): Promise<Bytes> {
	return nameMac("passkey user", accountId);
}
