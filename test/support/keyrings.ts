import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";

const keyrings = new WeakMap<Database, Keyring>();

/** For what opens a service: its rows can be read with its database alone from then on. */
export function keepKeyring(database: Database, keyring: Keyring): void {
	keyrings.set(database, keyring);
}

/** That of the service whose database it is. */
export function keyringOf(database: Database): Keyring {
	const keyring = keyrings.get(database);
	if (!keyring) throw new Error("no service of this process has that database");
	return keyring;
}
