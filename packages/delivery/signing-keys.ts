import { authorityOf, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import { mintSecret } from "@svc/base/crypto/secrets";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { Delivery } from "./room.ts";
import type { SigningKey } from "./signing-key.ts";

/** A key, and the secret that is shown this once. */
export interface MadeSigningKey {
	readonly key: Omit<SigningKey, "pk">;
	readonly secret: string;
}

const PER_APP_MAX = 5;

/** From then on it signs, beside those that there are. @throws Failure validation_error where the App has as many as it may */
export async function createSigningKey(room: Delivery, teamMember: TeamMember, name: string): Promise<MadeSigningKey> {
	const { secret, last4 } = await mintSecret("svc_sig_");
	const key = { id: newId("sgk"), name, last4, createdMs: teamMember.by.nowMs };
	const kept = { ...key, secret: room.keyring.seal(secret, SEALED_PLACES.signingKey(key.id)) };
	const refused = await room.signingKeys.create(authorityOf(teamMember, "admin"), kept, PER_APP_MAX);
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "full") {
		throw invalid("signing_keys", `cannot be more: this App has ${PER_APP_MAX} already; delete one that is not needed`);
	}
	return { key, secret };
}

/** What it has signed is answered no more. @throws Failure not_found */
export async function deleteSigningKey(room: Delivery, teamMember: TeamMember, id: string): Promise<void> {
	const key = isId("sgk", id) ? await room.signingKeys.find(teamMember.app.pk, id) : undefined;
	const refused = key ? await room.signingKeys.delete(authorityOf(teamMember, "admin"), key) : "gone";
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "gone") throw new Failure("not_found");
}
