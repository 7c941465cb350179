import { type DeploymentSecret, sealedWith } from "./deployment-secret.ts";

/*
 * What a process makes and opens with the deployment's secret. There may be two of it while it is changed, and an installation of an older
 * release has keys in the database, which are taken for as long as something lives that was made with them. What is new is made with the
 * first that every living process has: whatever one of them gives out, the others understand.
 */

/** The longest-lived thing that is made with a key, a ticket that was used and can still be read, and a day for clocks and pauses. */
export const KEY_LIFE_MS = 31 * 86_400_000;

/** One thing for each key that holds. */
export interface KeyVersions<T> {
	/** With what is made. */
	current(): T;
	/** With what is taken, the newest first. */
	all(): readonly T[];
}

/** A key of an older release, as the database has it; undefined where it has none. */
export type FindFormerKey = (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

export interface KeyringParts {
	/** The first one seals; none on an older installation that was given none yet. */
	readonly secrets: readonly DeploymentSecret[];
	readonly findFormerKey: FindFormerKey;
	/** Whether the keys of an older release are still taken. */
	readonly takesFormer: () => boolean;
}

export class Keyring {
	readonly secrets: readonly DeploymentSecret[];
	readonly #findFormerKey: FindFormerKey;
	readonly #takesFormer: () => boolean;
	/** Place of the secret that makes; -1: the keys of an older release do. */
	#maker: number;
	#seals = false;

	constructor({ secrets, findFormerKey, takesFormer }: KeyringParts) {
		this.secrets = secrets;
		this.#findFormerKey = findFormerKey;
		this.#takesFormer = takesFormer;
		this.#maker = secrets.length > 0 ? 0 : -1;
	}

	/** The fingerprints that this process has, as it tells the others. */
	get fingerprints(): string {
		return this.secrets.map(({ fingerprint }) => fingerprint).join(",");
	}

	/** The secret that makes and seals; undefined while a living process has none. */
	get maker(): DeploymentSecret | undefined {
		return this.secrets[this.#maker];
	}

	/** Chooses the secret that all processes have. @param known what each says of itself; null: one of a release that knows of no secret */
	noteProcesses(known: readonly (string | null)[]): void {
		const lists = known.map((one) => (one ?? "").split(","));
		this.#maker = this.secrets.findIndex(({ fingerprint }) => lists.every((list) => list.includes(fingerprint)));
	}

	/** Whether new texts are sealed: only once no release is expected back that could not read them. */
	get seals(): boolean {
		return this.#seals && this.maker !== undefined;
	}

	startSealing(): void {
		this.#seals = true;
	}

	/** Opens a thing for each key of this name. */
	async versions<T>(name: string, make: (key: Uint8Array<ArrayBuffer>) => T | Promise<T>): Promise<KeyVersions<T>> {
		const own = await Promise.all(this.secrets.map(async (secret) => await make(secret.derive(name))));
		const formerKey = await this.#findFormerKey(name);
		const former = formerKey === undefined ? [] : [await make(formerKey)];
		return {
			current: () => {
				const [made] = [...own.slice(Math.max(0, this.#maker), this.#maker + 1), ...former, ...own];
				if (made === undefined) throw new Error(`There is no key for ${name}.`);
				return made;
			},
			all: () => (this.#takesFormer() || own.length === 0 ? [...own, ...former] : own),
		};
	}

	/** Text for a row; sealed where that is done by now. */
	seal(text: string, place: string): string {
		return this.seals ? (this.maker?.seal(text, place) ?? text) : text;
	}

	/** The text of a row, sealed or not. @throws Error for one that none of the secrets opens */
	open(text: string, place: string): string {
		const fingerprint = sealedWith(text);
		if (fingerprint === undefined) return text;
		const secret = this.secrets.find((one) => one.fingerprint === fingerprint);
		if (!secret) throw new Error(`${place} is sealed with the secret ${fingerprint}, which is not here.`);
		return secret.open(text, place);
	}
}
