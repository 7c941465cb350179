import type { CommonsStore } from "@svc/apps/commons-store";
import type { InvitationDeps } from "@svc/apps/invitations";
import type { InviteDeps } from "@svc/apps/invites";
import type { Addresses } from "@svc/base/addresses";
import type { Log, Meters } from "@svc/base/ports";
import type { UserBillingDeps } from "@svc/billing/user-billing";
import type { ConnectDeps } from "@svc/connect/connections";
import type { DisconnectDeps } from "@svc/connect/disconnect";
import type { UserKeyDeps } from "@svc/connect/user-keys";
import type { UserDeps } from "@svc/connect/users";
import type { MeDeps } from "@svc/erasure/close-account";
import type { ImageStore } from "@svc/images/ports";
import type { VisibleImageStore } from "@svc/images/visible-images-store";
import type { JobStore } from "@svc/jobs/jobs-store";
import type { ReportDeps } from "@svc/moderation/reports";
import type { PeopleDeps } from "@svc/people/people";

/** Everything that the hosted pages use; `apps/server` builds it. */
export interface PagesDeps
	extends MeDeps,
		ConnectDeps,
		PeopleDeps,
		UserDeps,
		UserKeyDeps,
		DisconnectDeps,
		InviteDeps,
		InvitationDeps,
		UserBillingDeps,
		ReportDeps {
	readonly jobs: JobStore;
	readonly commons: Pick<CommonsStore, "find">;
	readonly images: Pick<ImageStore, "findPublic">;
	readonly visibleImages: VisibleImageStore;
	readonly addresses: Addresses;
	/** Of the interface that is served, what the pages depend on. */
	readonly variant: {
		/** Whether people have storages of their own, outside of every App. */
		readonly access: { readonly personalStorages: boolean };
		/** Whether the billing card sells tiers of storages, by the service, rather than what the App sells. */
		readonly billing: { readonly sellsTiers: boolean };
		/** Whether images have pages. */
		readonly visibility: { readonly exists: boolean };
	};
	/** The service's own name. */
	readonly name: string;
	readonly log: Log;
	readonly meters: Meters;
	/** The network address that a request came from, as far as it can be known. */
	readonly addressOf: (request: Request) => string;
}
