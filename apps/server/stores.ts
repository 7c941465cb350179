import { pathToFileURL } from "node:url";
import { appStore } from "@svc/apps/apps-store";
import { auditStore } from "@svc/apps/audit-store";
import { commonsStore } from "@svc/apps/commons-store";
import { invitationStore } from "@svc/apps/invitations-store";
import { inviteStore } from "@svc/apps/invites-store";
import { memberStore } from "@svc/apps/members-store";
import { membershipStore } from "@svc/apps/memberships-store";
import { redirectUriStore } from "@svc/apps/redirect-uris-store";
import { type Database, type DatabaseOptions, openDatabase } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrate";
import { throttleStore } from "@svc/base/database/rate-shared";
import type { Clock, Log } from "@svc/base/ports";
import { planStore } from "@svc/billing/sold-plans-store";
import { connectionStore } from "@svc/connect/connections-store";
import { userKeyStore } from "@svc/connect/user-keys-store";
import { userStore } from "@svc/connect/users-store";
import { meStore } from "@svc/erasure/close-account-store";
import { appUsageStore } from "@svc/images/app-usage-store";
import { endLeases, idempotencyStore } from "@svc/images/idempotency-store";
import { imageStore } from "@svc/images/images-store";
import { usageStore } from "@svc/images/usage-store";
import { visibleImageStore } from "@svc/images/visible-images-store";
import { endJobLeases, jobStore } from "@svc/jobs/jobs-store";
import { appKeyStore } from "@svc/keys/app-keys-store";
import { keyStore } from "@svc/keys/keys-store";
import { endMailClaims, mailStore } from "@svc/mail/mail-store";
import { moderationStore } from "@svc/moderation/moderation-store";
import { reportStore } from "@svc/moderation/reports-store";
import { operatorAccountStore } from "@svc/operator/operator-accounts-store";
import { operatorAppStore } from "@svc/operator/operator-apps-store";
import { operatorStore } from "@svc/operator/operators-store";
import { totalsStore } from "@svc/operator/service-totals-store";
import { setupStore } from "@svc/operator/setup-store";
import { peopleStore } from "@svc/people/people-store";
import { sessionStore } from "@svc/people/sessions-store";
import { loginStore } from "@svc/people/sign-in-store";
import type { Variant } from "@svc/variants/variant";
import type { Config } from "./config.ts";

interface World {
	readonly clock: Clock;
	readonly log: Log;
}

/** How long a server may take for a migration: one that rebuilds a large table takes longer than any request waits. */
const MIGRATION_MAX_MS = 600_000;

/** Opens the deployment's database and brings it up to date. `onFull` makes room on the disk of a file. */
export async function openOwnDatabase(
	config: Config,
	{ clock, log }: World,
	onFull: () => Promise<boolean>,
): Promise<Database> {
	const where = config.database;
	const options: DatabaseOptions = {
		url: where.kind === "file" ? pathToFileURL(where.path).href : where.url,
		token: where.kind === "remote" ? where.token : undefined,
		onSlow: (slow) => log.warn("slow query", { ...slow }),
		onFull,
	};
	const database = await openDatabase(options);
	if (database.kind === "file") await migrate(database, await readMigrations(), clock);
	else {
		const patient = await openDatabase({ ...options, remoteTimeoutMs: MIGRATION_MAX_MS });
		await migrate(database, await readMigrations(), clock, patient).finally(() => patient.close());
	}
	// A file has one owner at a time, so whoever held a lease is gone. A server may have other services at work.
	if (database.kind === "file") {
		await endLeases(database, clock.now());
		await endMailClaims(database, clock.now());
		await endJobLeases(database, clock.now());
	}
	return database;
}

/** Everything that is kept in the database, by noun. */
export function storesOn(database: Database, log: Log, { image, usage }: Pick<Variant, "image" | "usage">) {
	const lostUse = (cause: unknown) => log.warn("times of last use could not be written", { cause });
	return {
		appKeys: appKeyStore(database),
		commons: commonsStore(database),
		apps: appStore(database),
		appUsage: appUsageStore(database),
		audit: auditStore(database),
		connections: connectionStore(database, { usersLimited: usage.usersLimited }),
		idempotency: idempotencyStore(database),
		images: imageStore(database, { quotaOf: usage.quota, listed: image.listed }),
		invitations: invitationStore(database),
		invites: inviteStore(database),
		jobs: jobStore(database),
		keys: keyStore(database, lostUse),
		logins: loginStore(database),
		mails: mailStore(database),
		me: meStore(database),
		members: memberStore(database),
		memberships: membershipStore(database),
		moderation: moderationStore(database),
		operatorAccounts: operatorAccountStore(database),
		operatorApps: operatorAppStore(database),
		operators: operatorStore(database),
		people: peopleStore(database, lostUse),
		plans: planStore(database),
		redirectUris: redirectUriStore(database),
		reports: reportStore(database),
		sessions: sessionStore(database),
		setup: setupStore(database),
		throttles: throttleStore(database),
		totals: totalsStore(database),
		usage: usageStore(database),
		userKeys: userKeyStore(database),
		users: userStore(database),
		visibleImages: visibleImageStore(database),
	};
}
