import { deploymentSecret, newDeploymentSecret } from "@svc/base/crypto/deployment-secret";
import { KEY_LIFE_MS, Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { openDatabase } from "@svc/base/database/open";
import {
	changeSecretState,
	findSecretState,
	type SecretState,
} from "@svc/base/database/secrets/deployment-secret-store";
import { sealRows } from "@svc/base/database/secrets/sealed-rows-store";
import { hasOlderProcess } from "@svc/fleet/processes-store";
import { countMadeThings, endTickets, type MadeThings } from "@svc/operator/secret-ends-store";
import type { Config } from "../../config/config.ts";
import { secretFile } from "../../secret-file.ts";
import type { Runtime } from "../base.ts";
import { bringUpToDate, type DatabaseParts, isMissing, optionsOf } from "../database/database.ts";
import { compact, findSecret, openKeyring } from "../secret/secret.ts";
import { openBallast, openStore } from "../storage/storage.ts";

interface SecretRotation extends MadeThings {
	readonly object: "secret_rotation";
	/** False where it was only looked at, and where a variable holds the secret. */
	readonly rotated: boolean;
	/** Where the secret stands: a file, or the name of the variable. */
	readonly place: string;
	/** Of the secret in force. */
	readonly fingerprint: string | null;
	/** Until when the one before is taken; null where there is none. */
	readonly former_until: string | null;
}

export interface RotationWish {
	readonly isMeant: boolean;
	/** Whether the secret before is taken no more from now on. */
	readonly isNow: boolean;
}

/**
 * Gives a stopped service on a file another secret, and seals everything anew. Where a variable holds the secret it seals what lies readable
 * yet from an older release; another secret is for who sets the variable.
 * @throws Error while a service has the file, or while a process of an older release works on the server
 */
export async function rotateSecret(config: Config, runtime: Runtime, wish: RotationWish): Promise<SecretRotation> {
	// Opening makes the file.
	if (await isMissing(config.database)) throw new Error(`there is no service in ${config.dataDir}`);
	const store = await openStore(config, runtime.log);
	const parts: DatabaseParts = { ...runtime, store, onFull: openBallast(config, runtime.log).release };
	const options = optionsOf(config, parts);
	const database = await openDatabase(options);
	try {
		const found = await findSecret(config, database, { ...runtime, isMeant: false });
		const file = isFile(config) ? secretFile(config.dataDir) : undefined;
		const made = await countMadeThings(database, runtime.clock.now()).catch(() => ({ tickets: 0, links: 0 }));
		const told = { object: "secret_rotation", place: file?.path ?? "SVC_DEPLOYMENT_SECRET", ...made } as const;
		const before = found.state?.fingerprint ?? null;
		if (!wish.isMeant) return { ...told, rotated: false, fingerprint: before, former_until: null };
		await bringUpToDate(database, options, runtime);
		const own = await openKeyring(config, database, found, runtime);
		const state = own.state();
		if (!state) throw new Error("SVC_DEPLOYMENT_SECRET is not set: set it to the same value for all processes");
		if (!file) {
			await sealNow(database, own.keyring, state);
			return { ...told, rotated: false, fingerprint: state.fingerprint, former_until: null };
		}
		return { ...told, ...(await rotateFile(config, database, own.keyring, state, { ...runtime, ...wish })) };
	} finally {
		await database.close();
	}
}

function isFile({ database, deploymentSecrets }: Config): boolean {
	return database.kind === "file" && deploymentSecrets.length === 0;
}

/** What a variable's secret has to seal yet. */
async function sealNow(database: Database, keyring: Keyring, state: SecretState): Promise<void> {
	if (await hasOlderProcess(database))
		throw new Error("a process of an older release is at work on this database, and could not read what is sealed");
	keyring.startSealing();
	await sealRows(database, keyring);
	await changeSecretState(database, state, {
		...state,
		isSealed: true,
		isCompacted: state.isSealed && state.isCompacted,
	});
}

async function rotateFile(
	config: Config,
	database: Database,
	before: Keyring,
	state: SecretState,
	{ clock, log, isNow }: Runtime & RotationWish,
): Promise<Pick<SecretRotation, "rotated" | "fingerprint" | "former_until">> {
	const file = secretFile(config.dataDir);
	const nowMs = clock.now();
	const [formerText = ""] = await file.read(nowMs);
	const text = newDeploymentSecret();
	const fresh = deploymentSecret(text);
	const untilMs = nowMs + KEY_LIFE_MS;
	// Before anything is sealed with it: whatever ends this run, the file opens what there is.
	await file.write(text, { secret: formerText, untilMs });
	const none = { findFormerKey: async () => undefined, takesFormer: () => false };
	const keyring = new Keyring({ secrets: [fresh, ...before.secrets], ...none });
	keyring.startSealing();
	await sealRows(database, keyring);
	const { fingerprint } = fresh;
	const olderMs = isNow ? null : state.olderMs;
	await changeSecretState(database, state, {
		fingerprint,
		sinceMs: nowMs,
		olderMs,
		isSealed: true,
		isCompacted: false,
	});
	if (isNow) {
		await endTickets(database, nowMs);
		await file.write(text);
	}
	const now = await findSecretState(database);
	if (now) await compact(config, database, now, log);
	return { rotated: true, fingerprint, former_until: isNow ? null : new Date(untilMs).toISOString() };
}
