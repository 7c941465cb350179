import { authorityOf, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { toProfile } from "@svc/apps/profile/app-profile";
import { found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { MasterBlob } from "@svc/images/ports";
import { type Job, type JobRun, newJob } from "@svc/jobs/jobs";
import { requireFresh, stale } from "@svc/people/people";
import type { SentLine } from "./records.ts";
import type { Moves } from "./room.ts";

/*
 * An App leaves: an export pins what there is, and whoever asked for it reads records and masters one after the other. Nothing is put together
 * here: tens of gigabytes would have to lie on the disk for it.
 */

const DAY_MS = 86_400_000;
/** How long a counted export can be read. */
const READY_MS = 7 * DAY_MS;
/** With the longest texts, a page of images is some megabytes. */
const IMAGES_PAGE = 50;
const USERS_PAGE = 200;

/** What an export would hold, and what it would not. */
export type MovePlan = Awaited<ReturnType<Moves["departures"]["count"]>>;

/** Counts, and changes nothing. @throws Failure forbidden under `session` */
export async function rehearse(room: Moves, { app, person, by }: TeamMember): Promise<MovePlan> {
	requireFresh(person, by.nowMs);
	return await room.departures.count(app.pk);
}

/** @throws Failure forbidden under `session` for one that is not fresh, and for whoever is not Owner any more */
export async function startExport(room: Moves, member: TeamMember): Promise<Job> {
	const { app, by } = member;
	const pinned = { appId: app.id, ...(await room.departures.pin(app.pk)) };
	const job = newJob("app_export", pinned, { appPk: app.pk, startedBy: by.actor });
	const refused = await room.departures.start(authorityOf(member, "owner"), app.id, job);
	if (refused === "demoted") await refuseDemoted(room.apps, member);
	if (refused === "stale") throw stale();
	room.jobs.wake();
	return found(await room.jobs.store.find(job.id));
}

/** The job: what it found is what the file is compared with. */
export async function countExport(room: Moves, { job }: JobRun<"app_export">): Promise<unknown> {
	const kept = found(await room.departures.findApp(job.payload.appId));
	const { images, bytes, users } = await room.departures.count(kept.app.pk);
	return { images, bytes, users, expires_at: new Date(room.clock.now() + READY_MS).toISOString() };
}

export interface RecordPage {
	readonly records: readonly SentLine[];
	/** Where to go on; null at the end. */
	readonly next: string | null;
}

/** The App itself, then its users, then its images. @throws Failure not_found once its time is over */
export async function readRecords(
	room: Moves,
	appPk: number,
	exportId: string,
	after: string | undefined,
): Promise<RecordPage> {
	const pinned = await requireReady(room, appPk, exportId);
	const place = /^([ui])(\d{1,15})$/.exec(after ?? "");
	if (!place) return { records: [await appLine(room, pinned.appId)], next: "u0" };
	const afterPk = Number(place[2]);
	if (place[1] === "u") {
		const walk = { appPk, afterPk, lastPk: pinned.lastUserPk, limit: USERS_PAGE };
		const rows = await room.departures.listUsers(walk);
		return { records: rows.map(userLine), next: nextOf("u", rows.at(-1)?.connection.pk) ?? "i0" };
	}
	const walk = { appPk, afterPk, lastPk: pinned.lastImagePk, limit: IMAGES_PAGE };
	const now = room.clock.now();
	const rows = await room.departures.listImages(walk, now);
	return { records: rows.map((row) => imageLine(row, now)), next: nextOf("i", rows.at(-1)?.image.pk) ?? null };
}

/** @throws Failure not_found for an image that has gone since; DamagedMaster */
export async function readMaster(room: Moves, appPk: number, exportId: string, imageId: string): Promise<MasterBlob> {
	await requireReady(room, appPk, exportId);
	const { blobKey } = found(isId("img", imageId) ? await room.departures.findMaster(appPk, imageId) : undefined);
	return found(await room.images.masters.findWhole(blobKey));
}

async function requireReady(room: Moves, appPk: number, exportId: string) {
	const since = room.clock.now() - READY_MS;
	return found(isId("job", exportId) ? await room.departures.findReady(appPk, exportId, since) : undefined);
}

function nextOf(kind: "u" | "i", lastPk: number | undefined): string | undefined {
	return lastPk === undefined ? undefined : `${kind}${lastPk}`;
}

async function appLine({ departures }: Moves, appId: string): Promise<SentLine> {
	const { app, storage } = found(await departures.findApp(appId));
	const team = await departures.listTeam(app.pk);
	const uris = await departures.listRedirectUris(app.pk);
	const presets = await departures.listPresets(app.pk);
	return {
		kind: "app",
		id: app.id,
		name: app.name,
		created_at: iso(app.createdMs),
		paused: app.pausedMs !== null,
		block_reason: app.blockedMs === null ? null : app.blockReason,
		sign_in_enabled: app.signIn,
		profile: { ...toProfile(app.profile) },
		tax: { mode: app.taxMode, behavior: app.taxBehavior },
		promotion_codes: app.promotionCodes,
		delivery: app.delivery,
		delivery_referrers: [...(app.deliveryReferrers ?? [])],
		delivery_limits: { bytes: app.deliveryBytesLimit, renditions: app.deliveryRenditionsLimit },
		free_limits: { images: app.freeImagesLimit, bytes: app.freeBytesLimit },
		storage: storageLine(storage),
		redirect_uris: uris.map(({ uri, createdMs }) => ({ uri, created_at: iso(createdMs) })),
		presets: presets.map(({ name, parameters, createdMs }) => ({
			...{ name, parameters: JSON.parse(parameters) as Record<string, string> },
			created_at: iso(createdMs),
		})),
		owner: team.find(({ role }) => role === "owner")?.email ?? "",
		members: team.flatMap(({ email, role }) => (role === "owner" ? [] : [{ email, role }])),
	};
}

type StorageRow = NonNullable<Awaited<ReturnType<Moves["departures"]["findApp"]>>>["storage"];

function storageLine({ id, teamHash, createdMs }: StorageRow) {
	return { id, team_hash: teamHash, created_at: iso(createdMs) };
}

function userLine({
	connection,
	storage,
	email,
}: Awaited<ReturnType<Moves["departures"]["listUsers"]>>[number]): SentLine {
	return {
		kind: "user",
		id: connection.userId,
		email,
		created_at: iso(connection.createdMs),
		storage: storageLine(storage),
	};
}

function imageLine(
	{ image, storageId }: Awaited<ReturnType<Moves["departures"]["listImages"]>>[number],
	nowMs: number,
): SentLine {
	const { idempotencyHash: hash, idempotencyFingerprint: fingerprint } = image;
	const isYoung = hash !== null && fingerprint !== null && image.createdMs > nowMs - DAY_MS;
	return {
		kind: "image",
		id: image.id,
		storage: storageId,
		sha256: hex(image.sha256),
		sent_sha256: image.sentSha256 && hex(image.sentSha256),
		format: image.format,
		width: image.width,
		height: image.height,
		bytes: image.bytes,
		filename: image.filename,
		caption: image.caption,
		metadata: { ...image.metadata },
		labels: { ...image.labels },
		external_id: image.externalId,
		public: image.public,
		nsfw: image.nsfw,
		locked: image.lockedMs !== null,
		block_reason: image.status === "blocked" ? (image.blockReason ?? "terms") : null,
		published_at: iso(image.publishedMs),
		expires_at: image.expiresMs === null ? null : iso(image.expiresMs),
		created_at: iso(image.createdMs),
		revision: image.revision,
		idempotency: isYoung ? { hash: hex(hash), fingerprint: hex(fingerprint) } : null,
	};
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}

function hex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}
