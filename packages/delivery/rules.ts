import type { KeyVersions } from "@svc/base/crypto/keyring";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { AddressApp } from "@svc/images/ports";
import type { FoundRules } from "./rules-store.ts";

/** What the addresses of one App's images are read with. */
export interface DeliveryRules {
	/** Queries by the name of a preset. */
	readonly presets: ReadonlyMap<string, string>;
	/** Of its signing keys, and of the service itself. */
	readonly secrets: readonly string[];
}

interface KnownOfApp {
	readonly version: number;
	readonly rules: DeliveryRules;
}

const KEPT_MAX = 1_000;

/**
 * Keeps the presets and signing keys of Apps. Which version of them holds is read with each image, so that a change holds in every process
 * from the next request on, and nothing is asked for twice.
 */
export class KnownRules {
	/** By App. */
	readonly #kept = new LeastRecent<number, KnownOfApp>(KEPT_MAX);
	readonly #find: (appPk: number) => Promise<FoundRules | undefined>;
	readonly #ownSecrets: KeyVersions<string>;

	/** @param ownSecrets with what the service itself signs */
	constructor(find: (appPk: number) => Promise<FoundRules | undefined>, ownSecrets: KeyVersions<string>) {
		this.#find = find;
		this.#ownSecrets = ownSecrets;
	}

	/** Those of at least the version that was read with the image. */
	async of({ appPk, rulesVersion }: AddressApp): Promise<DeliveryRules> {
		const kept = this.#kept.use(appPk);
		if (kept?.version === rulesVersion) return kept.rules;
		const found = await this.#find(appPk);
		const rules = {
			presets: new Map(Object.entries(found?.presets ?? {}).map(([name, sent]) => [name, queryOf(sent)])),
			secrets: [...(found?.secrets ?? []), ...this.#ownSecrets.all()],
		};
		// Under the version that came with them: what is read while it changes is read again.
		if (found) this.#kept.set(appPk, { version: found.version, rules });
		return rules;
	}
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
	return new URLSearchParams(parameters).toString();
}
