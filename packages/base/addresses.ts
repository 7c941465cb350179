/** The three origins that a deployment is reached at; no trailing slashes. */
export interface Addresses {
	/** REST. */
	readonly base: string;
	/** Hosted pages. */
	readonly web: string;
	/** Transform host. */
	readonly cdn: string;
	/** The hosts of Apps of their own for their images; undefined where there are none. */
	readonly hosts?: ImageHosts;
}

/** A host of an App of its own on which its images are served. */
export interface ImageHost {
	readonly appPk: number;
	/** Without a port. */
	readonly host: string;
}

/**
 * The verified image hosts of all Apps, in this process. They are asked for at each request and in each address that is given out, so they are all kept
 * here, and read again when one changes.
 */
export class ImageHosts {
	readonly #cdn: string;
	#origins: ReadonlyMap<number, string> = new Map();
	#apps: ReadonlyMap<string, number> = new Map();

	/** @param cdn the transform host: scheme and port of the others are its own */
	constructor(cdn: string) {
		this.#cdn = cdn;
	}

	/** Undefined where the App's images are on the service's own host. */
	originOf(appPk: number): string | undefined {
		return this.#origins.get(appPk);
	}

	/** The App whose host it is; with or without a port. */
	appAt(host: string): number | undefined {
		return this.#apps.get(host);
	}

	replace(hosts: readonly ImageHost[]): void {
		const { protocol, port } = new URL(this.#cdn);
		const ending = port && `:${port}`;
		this.#origins = new Map(hosts.map(({ appPk, host }) => [appPk, `${protocol}//${host}${ending}`]));
		this.#apps = new Map(
			hosts.flatMap(({ appPk, host }) => [[host, appPk] as const, [`${host}${ending}`, appPk] as const]),
		);
	}
}
