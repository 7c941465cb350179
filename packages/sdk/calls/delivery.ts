import type { Preset, SigningKey } from "../shapes.ts";
import type { WithSecret } from "../types.ts";
import { type Calls, pagesOf, pathOf, withOldNames } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

/** The parameters of an address, as texts: `{ w: "300" }`. */
export type PresetParameters = Preset["parameters"];

export interface PresetChanges {
	/** 1 to 32 of the characters a to z, 0 to 9, _ and -. */
	readonly name?: string | undefined;
	/** All of them: what is not named is no parameter of it any more. */
	readonly parameters?: PresetParameters | undefined;
}

export function presetsOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "presets", ...rest);
	return withOldNames(
		{
			...pagesOf<Preset>(transport, path()),
			/** From then on `{url}?preset=<name>` asks for these parameters. */
			create: (name: string, parameters: PresetParameters, options?: PostOptions) =>
				calls.post<Preset>(path(), { name, parameters }, options),
			edit: (id: string, changes: PresetChanges, options?: CallOptions) =>
				calls.patch<Preset>(path(id), changes, options),
			delete: (id: string, options?: CallOptions) => calls.remove("preset", path(id), id, options),
		},
		{ /** @deprecated It is called `edit`. */ update: "edit" },
	);
}

export function signingKeysOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "signing_keys", ...rest);
	return {
		...pagesOf<SigningKey>(transport, path()),
		/** Its secret, which is shown this once, is for `signUrl`. */
		create: (name: string, options?: PostOptions) => calls.post<SigningKey & WithSecret>(path(), { name }, options),
		/** Ends the addresses that it has signed. */
		delete: (id: string, options?: CallOptions) => calls.remove("signing_key", path(id), id, options),
	};
}
