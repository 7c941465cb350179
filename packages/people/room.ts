import type { Base } from "@svc/base/base";
import { hmac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import { addressChangeStore } from "./address-changes-store.ts";
import { securityLetterStore } from "./letters/security-letters-store.ts";
import { passkeyStore } from "./passkeys/passkeys-store.ts";
import { peopleStore } from "./people-store.ts";
import { sessionStore } from "./sessions-store.ts";
import { loginStore } from "./sign-in/logins-store.ts";

export type People = Awaited<ReturnType<typeof openPeople>>;

interface PeopleRules {
	/** Codes in an hour, for one address and for one network. */
	readonly signInRates: { readonly email: number; readonly address: number };
}

export async function openPeople(base: Base, database: Database, { signInRates }: PeopleRules) {
	return {
		...base,
		store: peopleStore(database, (cause) => base.log.warn("times of last use could not be written", { cause })),
		sessions: sessionStore(database),
		logins: loginStore(database),
		addressChanges: addressChangeStore(database),
		letters: securityLetterStore(database),
		passkeys: passkeyStore(database),
		/** Makes and proves codes, links and tokens of devices. */
		proofs: await base.keyring.versions("logins", hmac),
		/** Names people and networks in buckets and rows, for as long as those stand. */
		nameMac: await hmac(await keptKey(database, base.keyring, "logins")),
		signInRates,
	};
}
