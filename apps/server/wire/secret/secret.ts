import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
	type DeploymentSecret,
	deploymentSecret,
	newDeploymentSecret,
	SECRET_FORM,
} from "@svc/base/crypto/deployment-secret";
import { KEY_LIFE_MS, Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { readDatabaseMark } from "@svc/base/database/meta";
import {
	changeSecretState,
	claimSecretState,
	findKey,
	findSecretState,
	forgetSecretState,
	hasFormerKeys,
	keptKey,
	type SecretState,
} from "@svc/base/database/secrets/deployment-secret-store";
import { type LostTexts, loseRows, sealRows } from "@svc/base/database/secrets/sealed-rows-store";
import type { Clock, Log } from "@svc/base/ports";
import type { Config } from "../../config/config.ts";
import { secretFile } from "../../secret-file.ts";
import { placeOf } from "../database/database-place.ts";

/** What `svc server restore` leaves in a data directory: the database that it brought back may go on with another secret. */
const RESTORED_MARK = "without-secret";

export interface OwnKeyring {
	readonly keyring: Keyring;
	/** As it was last read; undefined on an older installation that was given no secret yet. */
	state(): SecretState | undefined;
	note(state: SecretState): void;
	/** What was lost with another secret; undefined where nothing was. */
	readonly lost: LostTexts | undefined;
}

/** What is known before anything is written. */
interface FoundSecret {
	readonly secrets: readonly DeploymentSecret[];
	readonly state: SecretState | undefined;
	/** An installation of a release that knows of no secret. */
	readonly isOlder: boolean;
	/** Whether the database may go on with another secret than the one that it knows. */
	readonly mayForget: boolean;
}

type Where = Pick<Config, "database" | "dataDir" | "deploymentSecrets">;

/**
 * To be asked before anything is written, migrations included.
 * @param isMeant whether an operator has said that the secret that the data was made with is lost
 * @throws Error naming both fingerprints where the secret is not the one of the data; where a database server needs one
 */
export async function findSecret(
	config: Where,
	database: Database,
	{ clock, isMeant }: { readonly clock: Clock; readonly isMeant: boolean },
): Promise<FoundSecret> {
	const { isMade } = await readDatabaseMark(database);
	const state = isMade ? await findSecretState(database) : undefined;
	const isOlder = isMade && state === undefined && (await hasFormerKeys(database));
	const secrets = (await readSecrets(config, clock.now())).map(deploymentSecret);
	const mayForget = isMeant || (await isRestored(config.dataDir));
	const found = { secrets, state, isOlder, mayForget };
	if (state) requireSame(config, found, state);
	if (secrets.length === 0 && config.database.kind === "remote" && !isOlder) throw new Error(REQUIRED);
	return found;
}

const REQUIRED = `several processes may share a database server, so the secret of the deployment has to be told to each of them: set SVC_DEPLOYMENT_SECRET to the same value for all. It takes ${SECRET_FORM}. Keep a copy of it outside of the database's backups.`;

async function readSecrets({ database, dataDir, deploymentSecrets }: Where, nowMs: number): Promise<readonly string[]> {
	if (deploymentSecrets.length > 0 || database.kind === "remote") return deploymentSecrets;
	return await secretFile(dataDir).read(nowMs);
}

async function isRestored(dataDir: string): Promise<boolean> {
	return (await stat(join(dataDir, RESTORED_MARK)).catch(() => undefined)) !== undefined;
}

function isSame(secrets: readonly DeploymentSecret[], { fingerprint }: SecretState): boolean {
	return secrets.some((one) => one.fingerprint === fingerprint);
}

function requireSame(config: Where, { secrets, mayForget }: FoundSecret, state: SecretState): void {
	if (mayForget || isSame(secrets, state)) return;
	const isVariable = config.database.kind === "remote" || config.deploymentSecrets.length > 0;
	const place = isVariable ? "SVC_DEPLOYMENT_SECRET" : secretFile(config.dataDir).path;
	const given =
		secrets.length === 0 ? "no secret" : `the secret ${secrets.map((one) => one.fingerprint).join(" and ")}`;
	throw new Error(`the data was made with another secret of the deployment, so nothing was changed.
  ${placeOf(config.database)}: the secret ${state.fingerprint}
  ${place}: ${given}
What to do, one of:
  - bring the secret ${state.fingerprint} back: as ${isVariable ? "SVC_DEPLOYMENT_SECRET" : "that file"}, from where you keep it or from another machine of the service
  - to change it, name both: SVC_DEPLOYMENT_SECRET=<new>,<old>
  - only if it is lost for good: svc server adopt, which says what no longer works`);
}

/**
 * Opens what is made with the secret, and makes the secret of a new installation on a file. For after the migrations.
 * @throws Error where another process came first, with another secret
 */
export async function openKeyring(
	config: Where,
	database: Database,
	found: FoundSecret,
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<OwnKeyring> {
	const secrets = found.secrets.length > 0 ? found.secrets : await makeSecret(config, log);
	const lost = await forgetAnother(database, { ...found, secrets }, log);
	let state = await claimState(config, database, { ...found, secrets }, clock.now());
	const takesFormer = () => state?.olderMs != null && clock.now() < state.olderMs + KEY_LIFE_MS;
	const keyring: Keyring = new Keyring({
		secrets,
		takesFormer,
		// Without a secret they are the only ones, and made where they are missing.
		findFormerKey: (name) =>
			secrets.length === 0 ? keptKey(database, keyring, name) : findKey(database, keyring, name),
	});
	const own = {
		keyring,
		state: () => state,
		note(next: SecretState) {
			state = next;
			if (next.isSealed) keyring.startSealing();
		},
	};
	if (state) own.note(state);
	// What was made anew stands unsealed for a moment.
	if (lost) await sealRows(database, keyring);
	await rm(join(config.dataDir, RESTORED_MARK), { force: true });
	return { ...own, lost };
}

/** @returns what was lost with the secret that the database knew; undefined where it is one of those that are here */
async function forgetAnother(
	database: Database,
	{ secrets, state }: FoundSecret,
	log: Log,
): Promise<LostTexts | undefined> {
	if (!state || secrets.length === 0 || isSame(secrets, state)) return undefined;
	const lost = await loseRows(database, { secrets });
	await forgetSecretState(database);
	log.warn("goes on without the secret that this data was made with", {
		fingerprint: state.fingerprint,
		lost,
		advice: LOST,
	});
	return lost;
}

const LOST =
	"webhook endpoints have another secret, to be fetched by rotating it; signing keys are gone; links in letters, codes on their way and passkeys do not work: people sign in by mail";

/** @throws Error where another process came first, with another secret */
async function claimState(
	config: Where,
	database: Database,
	found: FoundSecret,
	nowMs: number,
): Promise<SecretState | undefined> {
	const [first] = found.secrets;
	if (!first) return undefined;
	const olderMs = found.isOlder ? nowMs : null;
	const fresh = {
		fingerprint: first.fingerprint,
		sinceMs: nowMs,
		olderMs,
		isSealed: !found.isOlder,
		isCompacted: !found.isOlder,
	};
	const state = await claimSecretState(database, fresh);
	requireSame(config, { ...found, mayForget: false }, state);
	return state;
}

/** None for an older installation on a server, which is told so. */
async function makeSecret({ database, dataDir }: Where, log: Log): Promise<readonly DeploymentSecret[]> {
	if (database.kind === "remote") {
		const advice = "set SVC_DEPLOYMENT_SECRET to the same value for all processes: docs/operate/upgrade.md";
		log.warn("this deployment has no secret of its own yet: a backup of its database opens links and tickets", {
			advice,
		});
		return [];
	}
	const file = secretFile(dataDir);
	const text = newDeploymentSecret();
	await file.write(text);
	const advice = "keep a copy of it elsewhere: no backup holds it";
	log.info("made the secret of this deployment", { file: file.path, advice });
	return [deploymentSecret(text)];
}

/** Writes a file anew in which secrets lay readable. For a time when nobody is served; one without room for it stays as it is until another start. */
export async function compact(
	config: Where,
	database: Database,
	state: SecretState | undefined,
	log: Log,
): Promise<void> {
	if (config.database.kind !== "file" || !state?.isSealed || state.isCompacted) return;
	try {
		await database.compact();
		await changeSecretState(database, state, { ...state, isCompacted: true });
	} catch (cause) {
		log.warn("the database could not be written anew, so that old secrets may be left in free pages of its file", {
			cause,
		});
	}
}
