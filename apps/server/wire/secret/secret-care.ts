import type { CheckState } from "@svc/api/kit/rooms";
import { KEY_LIFE_MS } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import {
	changeSecretState,
	findSecretState,
	type SecretState,
} from "@svc/base/database/secrets/deployment-secret-store";
import { sealRows } from "@svc/base/database/secrets/sealed-rows-store";
import type { Clock, Log } from "@svc/base/ports";
import type { Fleet } from "@svc/fleet/fleet";
import type { OwnKeyring } from "./secret.ts";

/*
 * Moves a deployment over to its secret, and to another one. Nothing is sealed while a release may come back that cannot read it: a day
 * after the last process of such a release was seen. Then one process seals what is not sealed with the secret in force, whoever wrote it.
 */

const SEALS_AFTER_MS = 86_400_000;
/** That a process of an older release is at work is written down so often. */
const NOTED_EVERY_MS = 3_600_000;

const OPEN_BACKUPS =
	"backups made before hold them readable: remove those, or rotate the secrets of webhook endpoints (svc webhooks rotate), make new signing keys, and svc server rotate-secret --now";

export interface SecretCareParts {
	readonly database: Database;
	readonly ownKeyring: OwnKeyring;
	readonly fleet: Pick<Fleet, "leads" | "hasOlder">;
	readonly clock: Clock;
	readonly log: Log;
}

export interface SecretCare {
	/** To be called every minute. */
	look(): Promise<void>;
	/** What `readyz` says of it. */
	check(): CheckState;
}

export function secretCare({ database, ownKeyring, fleet, clock, log }: SecretCareParts): SecretCare {
	const { keyring } = ownKeyring;

	async function change(before: SecretState, changes: Partial<SecretState>): Promise<void> {
		const after = { ...before, ...changes };
		if (await changeSecretState(database, before, after)) ownKeyring.note(after);
	}

	/** How long ago a process was at work that could not read what is sealed. */
	const quietMs = ({ olderMs }: SecretState) => clock.now() - (olderMs ?? 0);

	async function care(state: SecretState): Promise<void> {
		if (fleet.hasOlder()) {
			if (quietMs(state) > NOTED_EVERY_MS) await change(state, { olderMs: clock.now() });
		} else if (state.isSealed || quietMs(state) >= SEALS_AFTER_MS) await seal(state);
	}

	async function seal(state: SecretState): Promise<void> {
		keyring.startSealing();
		const { maker } = keyring;
		if (!maker) return;
		const isAnother = maker.fingerprint !== state.fingerprint;
		const isSteady = state.isSealed && !isAnother;
		const sealed = await sealRows(database, keyring, isSteady);
		if (isSteady) return;
		log.info("sealed what lay readable in the database, or under another secret", {
			sealed,
			fingerprint: maker.fingerprint,
			...(!state.isSealed && { advice: OPEN_BACKUPS }),
		});
		const changed = isAnother ? { fingerprint: maker.fingerprint, sinceMs: clock.now() } : {};
		await change(state, { ...changed, isSealed: true, isCompacted: state.isSealed && state.isCompacted });
	}

	return {
		async look() {
			if (ownKeyring.state() === undefined) return;
			const state = await findSecretState(database);
			if (!state) return;
			ownKeyring.note(state);
			if (fleet.leads()) await care(state);
		},
		check() {
			const state = ownKeyring.state();
			if (!state) return "missing";
			if (!state.isSealed) return "moving";
			if (keyring.secrets.length < 2) return "ok";
			const isOver = keyring.secrets[0]?.fingerprint === state.fingerprint && clock.now() > state.sinceMs + KEY_LIFE_MS;
			return isOver ? "spare" : "moving";
		},
	};
}
