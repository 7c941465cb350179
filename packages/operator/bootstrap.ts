import type { NewApp } from "@svc/apps/app-record";
import { newApp } from "@svc/apps/apps";
import { type MintedSecret, mintSecret } from "@svc/base/crypto/secrets";
import { DatabaseError } from "@svc/base/database-error";
import { FIRST_OPERATOR, isTestAddress } from "@svc/base/email";
import { found, invalid } from "@svc/base/failure";
import { networkRange } from "@svc/base/http/network";
import { newId } from "@svc/base/ids";
import { maskedEmail } from "@svc/people/address-changes";
import { newLetter } from "@svc/people/letters/security-letters";
import { SCOPES, type Scope } from "@svc/people/people";
import type { Operator } from "./room.ts";

/** The rows that the first start, or a bootstrap, makes. Hashes only: the secrets themselves are shown once and never stored. */
export interface NewOperator {
	readonly accountId: string;
	readonly email: string;
	readonly token?: {
		readonly id: string;
		readonly name: string;
		readonly secretHash: Uint8Array;
		readonly scopes: string;
		readonly expiresMs: number;
	};
	readonly app?: NewApp & {
		readonly key: Omit<MintedSecret, "secret"> & { readonly id: string; readonly name: string };
	};
}

const TOKEN_NAME = "bootstrap";
const TOKEN_DAYS = 365;

export interface BootstrapRequest {
	readonly email: string;
	/** The network address that it came from. */
	readonly address: string;
}

export interface BootstrappedOperator {
	readonly accountId: string;
	readonly tokenId: string;
	readonly tokenName: string;
	readonly scopes: readonly Scope[];
	readonly createdMs: number;
	readonly expiresMs: number;
	/** Shown once. */
	readonly secret: string;
}

/**
 * Makes the first operator, with a token of every scope, and tells them by a letter. There are no other operators to tell.
 * Whoever calls it has compared the secret.
 * @throws Failure validation_error for a test person, not_found once there is an operator; others may have signed in before
 */
export async function bootstrapOperator(room: Operator, request: BootstrapRequest): Promise<BootstrappedOperator> {
	if (isTestAddress(room, request.email)) throw invalid("email", "is a test person's, whose code everybody knows");
	const now = room.clock.now();
	const { secret, token } = await mintToken(now);
	const added = { accountId: newId("acc"), email: request.email };
	// Made first, since the letter is about it; without an operator's rights it is an account like any other.
	const account = found(await room.setup.ensureAccount(added, now));
	const origin = { network: networkRange(request.address) };
	const about = { deed: "operator", subject: account.id, who: maskedEmail(account.email), origin } as const;
	const letter = await newLetter(room.people, account, about, now);
	const accountId = found(await room.setup.createOperator({ ...added, token }, [letter], now));
	const { id: tokenId, name: tokenName, expiresMs } = token;
	return { accountId, tokenId, tokenName, scopes: SCOPES, createdMs: now, expiresMs, secret };
}

/** Makes a token of every scope. */
async function mintToken(nowMs: number) {
	const { secret, hash } = await mintSecret("svc_pat_");
	const expiresMs = nowMs + TOKEN_DAYS * 86_400_000;
	const token = { id: newId("tok"), name: TOKEN_NAME, secretHash: hash, scopes: SCOPES.join(" "), expiresMs };
	return { secret, token };
}

export interface FirstStart {
	readonly appId: string;
	readonly appName: string;
	readonly email: string;
	/** An App-wide key with read and write. Shown once. */
	readonly apiKey: string;
	/** The operator's token of every scope, for the CLI's profile. It is not shown. */
	readonly token: string;
}

/** Fills an empty service so that it can be used at once; undefined when it is not empty. */
export async function firstStart(room: Operator, mode: "test" | "live"): Promise<FirstStart | undefined> {
	if (!(await room.setup.isEmpty())) return undefined;
	const { secret: apiKey, ...minted } = await mintSecret(mode === "live" ? "svc_sk_live_" : "svc_sk_test_");
	const email = FIRST_OPERATOR;
	const now = room.clock.now();
	const { secret, token } = await mintToken(now);
	const app = { ...newApp("My first App"), key: { id: newId("key"), name: "First key", ...minted } };
	const made = await isDone(room.setup.createOperator({ accountId: newId("acc"), email, app, token }, [], now));
	return made ? { appId: app.id, appName: app.name, email, apiKey, token: secret } : undefined;
}

/** Whether a change happened, also one whose answer was lost: what it made is shown once, or never. */
async function isDone(change: Promise<string | undefined>): Promise<boolean> {
	try {
		return (await change) !== undefined;
	} catch (cause) {
		if (!(cause instanceof DatabaseError) || (await cause.settled) !== "happened") throw cause;
		return true;
	}
}
