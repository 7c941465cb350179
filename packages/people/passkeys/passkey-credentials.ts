import { type Failure, invalid } from "@svc/base/failure";

/*
 * The JSON in which browsers tell of a passkey (WebAuthn Level 3, 5.1: `RegistrationResponseJSON`, `AuthenticationResponseJSON`), as far as
 * it is used. Each field is bounded and of base64url before anything is made of it.
 */

/** Of a passkey that was just made. */
export interface NewCredential {
	/** The authenticator's name for it. */
	readonly id: string;
	readonly response: {
		readonly clientDataJSON: string;
		readonly attestationObject: string;
		/** How browsers reach its authenticator. */
		readonly transports: readonly string[];
	};
}

/** A challenge that a passkey has signed. */
export interface Assertion {
	readonly id: string;
	readonly response: {
		readonly clientDataJSON: string;
		readonly authenticatorData: string;
		readonly signature: string;
		/** The account that the authenticator keeps it for; undefined where it does not say. */
		readonly userHandle: string | undefined;
	};
}

/** Characters. An id has at most 1,023 bytes (WebAuthn, 4); the rest is several times what any authenticator sends without attestation. */
const MOST = {
	id: 1_364,
	clientDataJSON: 4_096,
	attestationObject: 8_192,
	authenticatorData: 4_096,
	signature: 2_048,
	userHandle: 128,
} as const;

const TRANSPORTS_MAX = 10;

type Fields = Readonly<Record<string, unknown>>;

/** @throws Failure validation_error under `credential` */
export function readNewCredential(sent: unknown): NewCredential {
	const { id, response } = readCommon(sent);
	const clientDataJSON = bounded(response, "clientDataJSON");
	const attestationObject = bounded(response, "attestationObject");
	return { id, response: { clientDataJSON, attestationObject, transports: transportsOf(response) } };
}

/** @throws Failure validation_error under `credential` */
export function readAssertion(sent: unknown): Assertion {
	const { id, response } = readCommon(sent);
	const clientDataJSON = bounded(response, "clientDataJSON");
	const authenticatorData = bounded(response, "authenticatorData");
	const signature = bounded(response, "signature");
	const said = response.userHandle ?? undefined;
	const userHandle = said === undefined ? said : bounded(response, "userHandle");
	return { id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

function readCommon(sent: unknown): { readonly id: string; readonly response: Fields } {
	const fields = objectOf(sent);
	if (fields?.type !== "public-key") throw malformed("must be the JSON of a public key credential");
	const response = objectOf(fields.response);
	if (!response) throw malformed("must have the field response");
	return { id: bounded(fields, "id"), response };
}

function objectOf(value: unknown): Fields | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function bounded(fields: Fields, name: keyof typeof MOST): string {
	const value = fields[name];
	if (typeof value !== "string" || value === "") throw malformed(`must have the field ${name}`);
	if (value.length > MOST[name]) throw malformed(`has more than ${MOST[name]} characters in ${name}`);
	// Four characters are three bytes, and one more is no whole byte.
	if (!/^[A-Za-z0-9_-]+$/.test(value) || value.length % 4 === 1) throw malformed(`must have base64url in ${name}`);
	return value;
}

/** Words of a growing list, which only help a browser: what does not look like one is left out. */
function transportsOf({ transports }: Fields): readonly string[] {
	if (!Array.isArray(transports)) return [];
	const words = transports.slice(0, TRANSPORTS_MAX).filter((word) => /^[a-z-]{1,20}$/.test(String(word)));
	return [...new Set(words.map(String))];
}

function malformed(fault: string): Failure {
	return invalid("credential", fault);
}
