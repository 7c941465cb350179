import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import { toToken } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { KnownBounds } from "./links/bounds.ts";
import { dayStore } from "./links/days-store.ts";
import { presetStore } from "./presets-store.ts";
import { KnownRules } from "./rules.ts";
import { rulesStore } from "./rules-store.ts";
import { signingKeyStore } from "./signing-keys-store.ts";

export type Delivery = Awaited<ReturnType<typeof openDelivery>>;

interface LowerRooms {
	readonly apps: Apps;
}

export async function openDelivery(base: Base, database: Database, lower: LowerRooms) {
	const ownSecrets = await base.keyring.versions("delivery", toToken);
	const days = dayStore(database);
	return {
		...base,
		...lower,
		days,
		bounds: new KnownBounds(days, base.clock),
		presets: presetStore(database),
		signingKeys: signingKeyStore(database, base.keyring),
		rules: new KnownRules(rulesStore(database, base.keyring).find, ownSecrets),
		/** With what the service's own pages sign the addresses of pictures that they show. */
		ownSecrets,
	};
}
