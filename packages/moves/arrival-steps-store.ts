import type { Actor } from "@svc/base/actor";
import { auditEntry } from "@svc/base/database/audit";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, members, redirectUris, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { presets } from "@svc/base/database/schema/delivery";
import { blobs, images } from "@svc/base/database/schema/images";
import { appImportRecords, appImports } from "@svc/base/database/schema/work/app-moves";
import { columns, condition, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { foldEmail } from "@svc/base/email";
import { newId } from "@svc/base/ids";
import { CONNECTION_COLUMNS, STORAGE_COLUMNS } from "@svc/connect/connections-store";
import { insertLabelsOf } from "@svc/images/image-rows-store";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Arrival } from "./arrivals-store.ts";
import type { AppLine } from "./records.ts";

/** Why an App does not come to be: it is here by now; something is not here, or has no place; an id lives here; two records say one thing. */
export type ArrivalRefusal = "ended" | "missing" | "taken" | "doubled" | "astray";

const record = appImportRecords;
const data = (field: string) => sql`${record.data} ->> ${sql.raw(`'$.${field}'`)}`;

/** All that makes an App of what has come, in one change. */
export function arrivalSteps(
	arrival: Arrival,
	app: AppLine,
	nameFold: string,
	by: Actor,
): readonly Step<ArrivalRefusal>[] {
	const { pk, appId, installation } = arrival;
	const { nowMs, requestId } = by;
	const appPk = sql<number>`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${appId})`;
	// Whoever reads it knows that nobody here has seen any of it.
	const entry = { event: "app.imported", target: appId, changes: { toldBy: installation, images: arrival.images } };
	return [
		updateStep(
			appImports,
			{ state: "done", touchedMs: nowMs },
			sql`${appImports.pk} = ${pk} AND ${appImports.state} = 'importing'`,
			"ended",
		),
		...lookSteps(arrival),
		{
			run: statements
				.insert(apps)
				.values(appRow(app, nameFold, nowMs))
				.onConflictDoNothing(),
			guard: "taken",
		},
		...peopleSteps(pk, app, appPk, nowMs),
		...settingSteps(app, appPk),
		...imageSteps(pk, appPk, arrival.images, nowMs),
		{ run: statements.insert(appUsage).values(usageOf(appPk)) },
		{ run: auditEntry({ ...entry, appPk, atMs: nowMs, actor: by.actor, requestId }) },
		{ run: statements.delete(record).where(eq(record.importPk, pk)) },
	];
}

function of(importPk: number, kind: "user" | "image"): SQL {
	return sql`${record.importPk} = ${importPk} AND ${record.kind} = ${sql.raw(`'${kind}'`)}`;
}

/** Refuses before anything is written what a constraint of the tables would stop. */
function lookSteps({ pk, images: expected }: Arrival): readonly Step<ArrivalRefusal>[] {
	const here = sql`SELECT 1 FROM ${blobs} WHERE ${blobs.blobKey} = ${record.blobKey} AND ${blobs.state} = 'pending'`;
	const whole = sql`(SELECT count(*) FROM ${record} WHERE ${of(pk, "image")} AND EXISTS (${here})) = ${expected}
		AND (SELECT count(*) FROM ${record} WHERE ${of(pk, "image")}) = ${expected}`;
	const twice = (kind: "user" | "image", by: SQL, value: SQL) =>
		sql`SELECT 1 FROM ${record} WHERE ${of(pk, kind)} AND ${value} IS NOT NULL GROUP BY ${by} HAVING count(*) > 1`;
	const inStorage = (field: string) => twice("image", sql`${data("storage")}, ${data(field)}`, data(field));
	const lives = sql`SELECT 1 FROM ${record} WHERE ${record.importPk} = ${pk} AND (
		EXISTS (SELECT 1 FROM ${images} WHERE ${images.id} = ${record.id})
		OR EXISTS (SELECT 1 FROM ${connections} WHERE ${connections.userId} = ${record.id})
		OR EXISTS (SELECT 1 FROM ${storages} WHERE ${storages.id} = ${data("storage.id")})
		OR EXISTS (SELECT 1 FROM ${storages} WHERE ${storages.teamHash} = ${data("storage.team_hash")}))`;
	const same = (field: string) =>
		sql`SELECT 1 FROM ${record} WHERE ${record.importPk} = ${pk} AND ${record.kind} <> 'image' GROUP BY ${data(field)} HAVING count(*) > 1`;
	const doubled = [
		inStorage("external_id"),
		inStorage("idempotency.hash"),
		twice("user", data("email_fold"), data("email_fold")),
		same("storage.id"),
		same("storage.team_hash"),
	];
	const none = (selects: readonly SQL[]) =>
		sql.join(
			selects.map((select) => sql`NOT EXISTS (${select})`),
			sql` AND `,
		);
	const look = (holds: SQL, guard: ArrivalRefusal) =>
		rowCondition(appImports.installation, sql`${appImports.pk} = ${pk} AND ${holds}`, guard);
	return [look(whole, "missing"), look(none([lives]), "taken"), look(none(doubled), "doubled")];
}

function appRow(app: AppLine, nameFold: string, nowMs: number): typeof apps.$inferInsert {
	const { bytes, renditions } = app.delivery_limits;
	const { images: freeImages, bytes: freeBytes } = app.free_limits;
	return {
		id: app.id,
		name: app.name,
		nameFold,
		createdMs: app.created_at,
		pausedMs: app.paused ? nowMs : null,
		pausedBy: app.paused ? "owner" : null,
		blockedMs: app.block_reason === null ? null : nowMs,
		blockReason: app.block_reason,
		signIn: app.sign_in_enabled,
		profile: JSON.stringify(app.profile),
		taxMode: app.tax.mode,
		taxBehavior: app.tax.behavior,
		promotionCodes: app.promotion_codes,
		delivery: app.delivery,
		deliveryReferrers: app.delivery_referrers.length > 0 ? app.delivery_referrers : null,
		deliveryBytesLimit: bytes,
		deliveryRenditionsLimit: renditions,
		freeImagesLimit: freeImages,
		freeBytesLimit: freeBytes,
		limitsUsers: freeImages !== null || freeBytes !== null,
	};
}

/** An account that nobody has signed in to yet is one like any other: a code to its address opens it. */
function peopleSteps(pk: number, app: AppLine, appPk: SQL<number>, nowMs: number): readonly Step<ArrivalRefusal>[] {
	const team = [{ email: app.owner, role: "owner" as const }, ...app.members];
	const accountPk = (fold: SQL | string) =>
		sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${accounts.emailNorm} = ${fold})`;
	const { storage } = app;
	const { id, email: typed, emailNorm, status, createdMs } = accounts;
	return [
		...team.map(({ email }) => ({
			run: statements
				.insert(accounts)
				.values({ id: newId("acc"), email, emailNorm: foldEmail(email), status: "active", createdMs: nowMs })
				.onConflictDoNothing(),
		})),
		...team.map(({ email, role }) => ({
			run: statements.insert(members).values({ appPk, accountPk: accountPk(foldEmail(email)), role, createdMs: nowMs }),
		})),
		{
			run: sql`INSERT OR IGNORE INTO ${accounts} (${columns(id, typed, emailNorm, status, createdMs)})
				SELECT ${data("account")}, ${data("email")}, ${data("email_fold")}, 'active', ${nowMs} FROM ${record} WHERE ${of(pk, "user")}`,
		},
		{
			run: statements.insert(storages).values({
				...{ id: storage.id, appPk, kind: "app", teamHash: storage.team_hash, state: "active" },
				createdMs: storage.created_at,
			}),
		},
		{
			run: sql`INSERT INTO ${storages} (${STORAGE_COLUMNS})
				SELECT ${data("storage.id")}, ${appPk}, 'user', ${accounts.pk}, ${data("storage.team_hash")}, 'active', ${data("storage.created_at")}
				FROM ${record} JOIN ${accounts} ON ${accounts.emailNorm} = ${data("email_fold")} WHERE ${of(pk, "user")} ORDER BY ${record.pk}`,
		},
		{
			// No consent was given here: the first sign-in asks for it, and until then they are pending.
			run: sql`INSERT INTO ${connections} (${CONNECTION_COLUMNS}, ${columns(connections.pendingMs)})
				SELECT 'con_' || substr(${record.id}, 5), ${record.id}, ${appPk}, ${storages.accountPk}, ${storages.pk}, 'connected', '', 0, ${data("created_at")}, ${nowMs}
				FROM ${record} JOIN ${storages} ON ${storages.id} = ${data("storage.id")} WHERE ${of(pk, "user")} ORDER BY ${record.pk}`,
		},
	];
}

function settingSteps(app: AppLine, appPk: SQL<number>): readonly Step<ArrivalRefusal>[] {
	return [
		...app.redirect_uris.map(({ uri, created_at: createdMs }) => ({
			run: statements.insert(redirectUris).values({ id: newId("red"), appPk, uri, createdMs }),
		})),
		...app.presets.map(({ name, parameters, created_at: createdMs }) => ({
			run: statements
				.insert(presets)
				.values({ id: newId("pre"), appPk, name, parameters: JSON.stringify(parameters), createdMs }),
		})),
	];
}

function imageSteps(pk: number, appPk: SQL<number>, expected: number, nowMs: number): readonly Step<ArrivalRefusal>[] {
	const keys = sql`(SELECT ${record.blobKey} FROM ${record} WHERE ${of(pk, "image")})`;
	const names = columns(
		...[images.id, images.appPk, images.storagePk, images.status, images.lockedMs, images.blockReason, images.nsfw],
		...[images.public, images.filename, images.format, images.width, images.height, images.bytes, images.sha256],
		...[images.sentSha256, images.externalId, images.blobKey, images.publishedMs, images.expiresMs, images.createdMs],
		...[
			images.caption,
			images.metadata,
			images.labels,
			images.revision,
			images.idempotencyHash,
			images.idempotencyFingerprint,
		],
	);
	const values = sql.join(
		[
			...[record.id, appPk, storages.pk, sql`iif(${data("block_reason")} IS NULL, 'ready', 'blocked')`],
			...[sql`iif(${data("locked")}, ${nowMs}, NULL)`, data("block_reason"), data("nsfw"), data("public")],
			...[data("filename"), data("format"), data("width"), data("height"), data("bytes"), record.sha256],
			...[sql`unhex(${data("sent_sha256")})`, data("external_id"), record.blobKey, data("published_at")],
			...[data("expires_at"), data("created_at"), data("caption"), data("metadata"), data("labels"), data("revision")],
			...[sql`unhex(${data("idempotency.hash")})`, sql`unhex(${data("idempotency.fingerprint")})`],
		],
		sql`, `,
	);
	const made = sql`(SELECT count(*) FROM ${images} WHERE ${images.appPk} = ${appPk})`;
	const sums = (of: typeof images.bytes | undefined) =>
		sql`(SELECT ${of ? sql`coalesce(sum(${of}), 0)` : sql`count(*)`} FROM ${images} WHERE ${images.storagePk} = ${storages.pk})`;
	return [
		{
			run: sql`INSERT INTO ${images} (${names}) SELECT ${values} FROM ${record}
				JOIN ${storages} ON ${storages.id} = ${data("storage")} AND ${storages.appPk} = ${appPk}
				WHERE ${of(pk, "image")} ORDER BY ${record.pk}`,
		},
		condition(appPk, sql`${made} = ${expected}`, "astray"),
		updateStep(blobs, { state: "live", sinceMs: nowMs }, sql`${blobs.blobKey} IN ${keys}`),
		{ run: insertLabelsOf(sql`${images.appPk} = ${appPk}`) },
		updateStep(storages, { images: sums(undefined), bytes: sums(images.bytes) }, eq(storages.appPk, appPk)),
	];
}

function usageOf(appPk: SQL<number>) {
	const count = (of: SQL) => sql<number>`(SELECT ${of})`;
	return {
		appPk,
		images: count(sql`count(*) FROM ${images} WHERE ${images.appPk} = ${appPk}`),
		bytes: count(sql`coalesce(sum(${images.bytes}), 0) FROM ${images} WHERE ${images.appPk} = ${appPk}`),
		users: count(sql`count(*) FROM ${connections} WHERE ${connections.appPk} = ${appPk}`),
	};
}
