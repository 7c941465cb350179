import type { Key } from "../shapes.ts";
import type { CallOptions } from "../wire/request.ts";

/** Where a hosted page leads back to. */
export interface WayBack {
	/** One of the App's redirect URIs: `svc redirect-uris create`. */
	readonly redirectUri: string;
	/** Comes back as it is. At most 512 characters. */
	readonly state?: string | undefined;
}

export interface ConnectUrlOptions extends WayBack {
	/** Shows no page: who is signed in at the service and connected comes back at once, anybody else with `error=interaction_required`. */
	readonly silent?: boolean | undefined;
}

export interface BillingUrlOptions extends WayBack {
	/** A price that is bought at once by who has no plan. */
	readonly priceId?: string | undefined;
}

/** Addresses of the service's own pages, to which an App sends browsers. The key's App is asked for once. */
export interface Addresses {
	/** Where people sign in to the App. @throws TypeError for a `state` above 512 characters */
	connectUrl(options: ConnectUrlOptions): Promise<string>;
	/** Where a signed-in user buys, changes and cancels a plan. @throws TypeError for a `state` above 512 characters */
	billingUrl(options: BillingUrlOptions): Promise<string>;
	/** Where people see what is theirs at the service, and all their Apps. */
	accountUrl(): Promise<string>;
	/** Where a user leaves the App, with all of their pictures in it. */
	disconnectUrl(): Promise<string>;
}

const STATE_MAX = 512;

export function addressesOf(getKey: (options?: CallOptions) => Promise<Key>, baseUrl: string): Addresses {
	let asked: Promise<Key> | undefined;

	function key(): Promise<Key> {
		asked ??= getKey().catch((error: unknown) => {
			// The next call asks again.
			asked = undefined;
			throw error;
		});
		return asked;
	}

	async function page(path: (app: string) => string, query: Readonly<Record<string, string | undefined>> = {}) {
		const { app, web_url = baseUrl } = await key();
		const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
		const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
		return `${web_url.replace(/\/+$/, "")}${path(app.id)}${text && `?${text}`}`;
	}

	async function card(
		path: string,
		{ redirectUri, state }: WayBack,
		more: Readonly<Record<string, string | undefined>>,
	) {
		if (state !== undefined && state.length > STATE_MAX)
			throw new TypeError(`state has ${state.length} characters, and may have ${STATE_MAX}.`);
		const { app } = await key();
		return await page(() => path, { app: app.id, redirect_uri: redirectUri, state, ...more });
	}

	return {
		connectUrl: (options) => card("/connect", options, { prompt: options.silent === true ? "none" : undefined }),
		billingUrl: (options) => card("/billing", options, { price_id: options.priceId }),
		accountUrl: () => page(() => "/account"),
		disconnectUrl: () => page((app) => `/account/apps/${app}/disconnect`),
	};
}
