import type { Invitation } from "./invitations.ts";

/* What is asked of the world about an invite as the invited person sees it; see ports.ts. */

export interface InvitationStore {
	/** By the SHA-256 of its token; only of an App that is not being deleted. */
	find(id: string, tokenHash: Uint8Array): Promise<Invitation | undefined>;
}
