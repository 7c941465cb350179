import { addPerson, as, type TestPerson } from "./people.ts";
import { send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/* People's own storages, outside of every App: made by their first key. */

export interface MadeOwnKey {
	readonly id: string;
	readonly secret: string;
	readonly [name: string]: unknown;
}

export interface OwnStorageHolder extends TestPerson {
	/** Secret of a key that reads and writes. */
	readonly key: string;
	readonly keyId: string;
}

export function postOwnKey(service: OpenService, who: { readonly secret: string }, body: unknown): Promise<Response> {
	return send(service, "POST", "/v1/me/keys", body, as(who));
}

/** A key that must be made. */
export async function makeOwnKey(
	service: OpenService,
	who: { readonly secret: string },
	body: Readonly<Record<string, unknown>> = {},
): Promise<MadeOwnKey> {
	const answer = await postOwnKey(service, who, { name: "Laptop", ...body });
	if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as MadeOwnKey;
}

/** A new person with a storage of their own. */
export async function addHolder(service: OpenService): Promise<OwnStorageHolder> {
	const person = await addPerson(service.database);
	const { id, secret } = await makeOwnKey(service, person);
	return { ...person, key: secret, keyId: id };
}
