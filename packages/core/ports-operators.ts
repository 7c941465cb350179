import type { By } from "@svc/base/actor";
import type { BlockReason } from "@svc/images/images";
import type { NewMail } from "@svc/mail/mail";
import type { Span } from "@svc/moderation/reports-store";
import type { Account, AccountStatus } from "@svc/people/people";
import type { AppChange, AppState, OperatedApp } from "./operator-apps.ts";
import type { QueueDepths, ServiceTotals } from "./service-totals.ts";

/* What is asked of the world for those who run the service; see ports.ts. Lists come newest first, only rows whose pk is below `beforePk`. */

export interface OperatorStore {
	list(span: Span): Promise<readonly Account[]>;
	/**
	 * Makes the account of an address an operator, and the account where there is none yet; `accountId` is for a new one. "operator"
	 * when it is one already, "inactive" when it is disabled or being deleted.
	 */
	add(
		account: { readonly accountId: string; readonly email: string; readonly emailNorm: string },
		by: By,
	): Promise<"operator" | "inactive" | undefined>;
	findByEmail(emailNorm: string): Promise<Account | undefined>;
	/** "last" when no other operator could sign in then; "gone" for who is none. */
	remove(accountId: string, by: By): Promise<"last" | "gone" | undefined>;
}

export interface OperatorAccountStore {
	/** Not those that are deleted for good. `prefix` of the address, in the form under which it is unique. */
	list(
		query: Span & { readonly prefix: string | undefined; readonly status: AccountStatus | undefined },
	): Promise<readonly Account[]>;
	find(id: string): Promise<Account | undefined>;
	/** False unless it is active, and somebody else who is an operator, if it is one, can still sign in. */
	disable(id: string, by: By): Promise<boolean>;
	/** False unless it is disabled. */
	enable(id: string, by: By): Promise<boolean>;
}

/** What an operator looks for; each in the form in which it is compared. */
export interface AppSearch {
	/** As typed: an id, or how a name begins. */
	readonly text: string;
	readonly nameFold: string;
	readonly emailNorm: string;
}

export interface OperatorAppStore {
	/** Not those that are being deleted. */
	list(
		query: Span & { readonly search: AppSearch | undefined; readonly state: AppState | undefined },
	): Promise<readonly OperatedApp[]>;
	find(id: string): Promise<OperatedApp | undefined>;
	/** The addresses of those who run an App: its Owner and Admins. */
	listAdminEmails(appPk: number): Promise<readonly string[]>;
	/** False when the App is gone. */
	change(id: string, change: AppChange, by: By): Promise<boolean>;
	/** With the mails, in one commit; false when it is blocked already, or gone. */
	block(
		id: string,
		block: { readonly reason: BlockReason; readonly note: string | null },
		mails: readonly NewMail[],
		by: By,
	): Promise<boolean>;
	/** False when it is not blocked, or gone. */
	unblock(id: string, note: string | null, by: By): Promise<boolean>;
}

export interface TotalsStore {
	/** Over everything, for the UTC month that `nowMs` lies in. */
	read(nowMs: number): Promise<ServiceTotals>;
	queues(): Promise<QueueDepths>;
}
