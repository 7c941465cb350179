import type { AppStore } from "@svc/apps/apps-store";
import type { AuditStore } from "@svc/apps/audit-store";
import type { CommonsStore } from "@svc/apps/commons-store";
import type { InviteStore } from "@svc/apps/invites-store";
import type { MemberStore } from "@svc/apps/members-store";
import type { MembershipStore } from "@svc/apps/memberships-store";
import type { RedirectUriStore } from "@svc/apps/redirect-uris-store";
import type { Addresses } from "@svc/base/addresses";
import type { Cursors } from "@svc/base/cursors";
import type { Meters } from "@svc/base/ports";
import type { RateLimiter } from "@svc/base/rate-in-process";
import type { BillingDeps } from "@svc/billing/billing";
import type { MovableClock } from "@svc/billing/simulated/movable-clock";
import type { PlanStore } from "@svc/billing/sold-plans-store";
import type { ConnectDeps } from "@svc/connect/connections";
import type { UserKeyStore } from "@svc/connect/user-keys-store";
import type { UserStore } from "@svc/connect/users-store";
import type { MeStore } from "@svc/erasure/close-account-store";
import type { AnonymousDeps } from "@svc/images/anonymous";
import type { AppUsageStore } from "@svc/images/app-usage-store";
import type { CreateDeps } from "@svc/images/create-image";
import type { Master, ReductionQueue } from "@svc/images/ports";
import type { JobStore } from "@svc/jobs/jobs-store";
import type { AppKeyStore } from "@svc/keys/app-keys-store";
import type { KeyStore } from "@svc/keys/keys-store";
import type { MailContent, RenderedMail } from "@svc/mail/mail";
import type { MailStore } from "@svc/mail/mail-store";
import type { ModerationStore } from "@svc/moderation/moderation-store";
import type { ReportDeps } from "@svc/moderation/reports";
import type { OperatorAccountStore } from "@svc/operator/operator-accounts-store";
import type { OperatorAppStore } from "@svc/operator/operator-apps-store";
import type { OperatorStore } from "@svc/operator/operators-store";
import type { TotalsStore } from "@svc/operator/service-totals-store";
import type { SetupStore } from "@svc/operator/setup-store";
import type { PeopleStore } from "@svc/people/people-store";
import type { SignInDeps } from "@svc/people/sign-in";
import type { Variant } from "@svc/variants/variant";
import type { PictureBox } from "../moderation/preview.ts";

/** Everything that the API's routes use; `apps/server` builds it. */
export interface ApiDeps extends CreateDeps, ReportDeps, SignInDeps, ConnectDeps, BillingDeps, AnonymousDeps {
	readonly keys: KeyStore;
	readonly people: PeopleStore;
	readonly memberships: MembershipStore;
	readonly apps: AppStore;
	readonly members: MemberStore;
	readonly invites: InviteStore;
	readonly redirectUris: RedirectUriStore;
	readonly appKeys: AppKeyStore;
	readonly commons: CommonsStore;
	readonly appUsage: AppUsageStore;
	readonly audit: AuditStore;
	readonly me: MeStore;
	readonly plans: PlanStore;
	/** Undefined where real money is paid. */
	readonly movableClock: MovableClock | undefined;
	readonly users: UserStore;
	readonly userKeys: UserKeyStore;
	readonly jobs: JobStore;
	/** Tells the workers that a job is due. */
	readonly wakeJobs: () => void;
	readonly moderation: ModerationStore;
	readonly operators: OperatorStore;
	readonly operatorAccounts: OperatorAccountStore;
	readonly operatorApps: OperatorAppStore;
	readonly totals: TotalsStore;
	/** A PNG of a stored picture, in turn with what the transform host renders; rejects for what cannot be decoded. */
	readonly drawPicture: (master: Master, box: PictureBox) => Promise<Uint8Array<ArrayBuffer>>;
	readonly instance: Instance;
	readonly mails: MailStore;
	readonly renderMail: (content: MailContent) => RenderedMail;
	/** Whether operators may read the codes and links in mails. */
	readonly mailSecrets: "shown" | "hidden";
	readonly setup: SetupStore;
	readonly cursors: Cursors;
	readonly reductions: ReductionQueue;
	readonly meters: Meters;
	/** Per key: of all calls, and of creates on top of that. */
	readonly limits: {
		readonly calls: RateLimiter;
		readonly creates: RateLimiter;
		/** Per network: of reads without a key. */
		readonly publicReads: RateLimiter;
	};
	readonly variant: Variant;
	/** Which prefix secrets carry. */
	readonly mode: "test" | "live";
	readonly addresses: Addresses;
	/** The service's own name, as the API document shows it. */
	readonly name: string;
	/** From when on [C] refuses `public`. */
	readonly publicCutoffMs: number;
	/** The network address that a request came from, as far as it can be known. */
	readonly addressOf: (request: Request) => string;
	/** Undefined: bootstrapping over the API is off. */
	readonly bootstrapSecret: string | undefined;
	/** The text of `/metrics`. */
	readonly metricsText: () => Promise<string>;
	/** Tries, for real, everything that the service cannot work without; names what failed. */
	readonly readiness: () => Promise<Readiness>;
}

/** What a process knows of itself. */
export interface Instance {
	/** Of the service's own code. */
	readonly version: string;
	readonly startedMs: number;
	readonly database: "file" | "remote";
	/** How many wait for their turn in this process. */
	readonly waiting: () => { readonly uploads: number; readonly renders: number };
}

export interface Readiness {
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, "ok" | "failed" | "draining">>;
}
