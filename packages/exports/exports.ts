import type { Actor } from "@svc/base/actor";
import { Failure, found, invalid, JobFailure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { mapped, streamOf } from "@svc/base/streams/streams";
import { type ZipEntry, zip } from "@svc/base/streams/zip";
import type { Image } from "@svc/images/images";
import { DamagedMaster } from "@svc/images/keep/masters";
import { type Job, JobEnd, type JobRun, newJob, requireLease } from "@svc/jobs/jobs";
import { newMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { type Account, type Person, requireSession, stale } from "@svc/people/people";
import type { ExportedStorage } from "./exports-store.ts";
import { jsonOf } from "./json-parts.ts";
import type { Exports } from "./room.ts";

/*
 * All that a person keeps here, as one file. Nothing of it is stored: the job says what there is and until when the file can be had, and
 * each download makes it anew from what is still there (docs/decisions/0047).
 */

const DAY_MS = 86_400_000;
/** How long a finished export can be fetched. */
const READY_MS = 7 * DAY_MS;
/** Images that are read from the database at once: some hundred kilobytes. */
const PAGE = 200;
/** Pictures that a file names as left out, one by one. */
const LEFT_OUT_MAX = 1_000;

/** What a finished export tells of itself. */
export interface ExportResult {
	readonly url: string;
	readonly expires_at: string;
	readonly images: number;
	readonly bytes: number;
}

/**
 * Begins an export of all that Apps keep for the person, or of what one App does.
 * @throws Failure forbidden for a token and for a session that is not fresh, validation_error under `app`, state_conflict while one is being
 * made, rate_limited within a day of the last one
 */
export async function startExport(
	room: Exports,
	person: Person,
	{ appId }: { readonly appId?: string | undefined },
	by: Actor,
): Promise<Job> {
	requireSession(person);
	const { account } = person;
	if (appId !== undefined) await requireStorage(room, account, appId);
	const facts = { dedupe: `account.export ${account.id}`, startedBy: account.id };
	const job = newJob("account.export", { accountId: account.id, appId }, facts);
	const refused = await room.store.start(account, job, by.nowMs - DAY_MS, by);
	if (refused === "under_way")
		throw Failure.saying("state_conflict", "An export of your account is being made already.");
	if (refused === "too_soon") throw await tooSoon(room, account, by.nowMs);
	if (refused === "stale") throw stale();
	if (refused === "gone") throw new Failure("unauthorized");
	room.jobs.wake();
	return found(await room.jobs.store.find(job.id));
}

async function requireStorage(room: Exports, account: Account, appId: string): Promise<void> {
	const storages = isId("app", appId) ? await room.store.listStorages(account.pk, appId) : [];
	if (storages.length === 0) throw invalid("app", "must be the id of an App that keeps pictures for you");
}

async function tooSoon(room: Exports, account: Account, nowMs: number): Promise<Failure> {
	const nextMs = (await nextExportMs(room, account)) ?? nowMs;
	return new Failure("rate_limited", undefined, {
		message: "An account can be exported once a day.",
		retryAfterSeconds: Math.max(1, Math.ceil((nextMs - nowMs) / 1_000)),
	});
}

/** When another export may be asked for; undefined where there was none. */
export async function nextExportMs(room: Exports, account: Account): Promise<number | undefined> {
	const latest = await room.store.findLatest(account.id);
	return latest === undefined ? undefined : latest + DAY_MS;
}

/** The account's exports that can still be fetched, are being made, or failed within a week; newest first. */
export function listExports(
	room: Exports,
	account: Account,
	page: { readonly limit: number; readonly beforePk?: number | undefined },
): Promise<readonly Job[]> {
	return room.store.list(account.id, room.clock.now() - READY_MS, page);
}

/** Counts what there is, and then, in one commit, makes the export ready and tells the person by mail. */
export async function makeExport(room: Exports, run: JobRun<"account.export">): Promise<JobEnd> {
	const { id, lease, payload } = run.job;
	const account = await room.store.findAccount(payload.accountId);
	if (!account) throw new JobFailure("This account cannot be used any more.");
	const storages = await room.store.listStorages(account.pk, payload.appId);
	const left = storages.reduce((sum, storage) => sum + storage.images, 0);
	requireLease((await room.jobs.store.expect(lease, left)) ? undefined : "lost");
	let [images, bytes] = [0, 0];
	for (const storage of storages) {
		for await (const page of pagesOf(room, storage, room.clock.now())) {
			images += page.length;
			bytes += page.reduce((sum, image) => sum + image.bytes, 0);
			requireLease((await room.jobs.store.advance(lease, page.length)) ? undefined : "lost");
			await run.yieldToRequests();
		}
	}
	const now = room.clock.now();
	const until = new Date(now + READY_MS).toISOString();
	const page = `${room.addresses.web}/account/export`;
	const result: ExportResult = { url: `${page}/${id}.zip`, expires_at: until, images, bytes };
	const mail = newMail("export_ready", account.email, { images, bytes, until, page }, `export_ready ${id}`);
	return new JobEnd(result, [{ run: mailEntry(mail, now) }]);
}

export interface ExportFile {
	/** What it is, and under which name it is kept; no cache has it. */
	readonly headers: Readonly<Record<string, string>>;
	/** Makes the file while it is read, from what is still there. */
	readonly body: ReadableStream<Uint8Array>;
}

/** A file holds one picture at a time, of any size: so many at once, of one account and in all. */
const READ_AT_ONCE = { account: 2, all: 16 };
const BUSY_SECONDS = 60;

/** @throws Failure rate_limited while too many are read; forbidden for a token, not_found for another person's, and for one that is not ready or has expired */
export async function openExport(room: Exports, person: Person, jobId: string): Promise<ExportFile> {
	requireSession(person);
	const { account } = person;
	const sinceMs = room.clock.now() - READY_MS;
	const ready = found(isId("job", jobId) ? await room.store.findReady(account.id, jobId, sinceMs) : undefined);
	const storages = await room.store.listStorages(account.pk, ready.appId);
	requireTurn(room, account);
	const file = counted(
		room,
		account,
		zip(whileSignedIn(room, person, entriesOf(room, account, storages, ready.madeMs))),
	);
	const day = new Date(ready.madeMs).toISOString().slice(0, 10);
	return { headers: zipHeaders(`export-${day}.zip`), body: streamOf(file) };
}

/** @param name of the file, in letters that need no quoting */
export function zipHeaders(name: string): ExportFile["headers"] {
	return {
		"Content-Type": "application/zip",
		"Content-Disposition": `attachment; filename="${name}"`,
		"Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff",
	};
}

export function requireTurn({ reading }: Exports, { pk }: Account): void {
	const all = [...reading.values()].reduce((sum, count) => sum + count, 0);
	if ((reading.get(pk) ?? 0) < READ_AT_ONCE.account && all < READ_AT_ONCE.all) return;
	const message = "Too many exports are being read at once; wait until one of them has ended.";
	throw new Failure("rate_limited", undefined, { message, retryAfterSeconds: BUSY_SECONDS });
}

/** Counts from the first part on, since a file that nobody reads takes nothing. @throws Failure rate_limited */
export async function* counted(
	room: Exports,
	account: Account,
	parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
	const [{ reading }, { pk }] = [room, account];
	// Again: others may have been asked for meanwhile, and all begin at once.
	requireTurn(room, account);
	reading.set(pk, (reading.get(pk) ?? 0) + 1);
	try {
		yield* parts;
	} finally {
		const left = (reading.get(pk) ?? 1) - 1;
		if (left > 0) reading.set(pk, left);
		else reading.delete(pk);
	}
}

/** Removes exports whose time is over; returns how many. */
export function forgetExports(room: Exports, limit: number): Promise<number> {
	return room.store.forget(room.clock.now() - READY_MS, limit);
}

/** A file is read as slowly as its reader likes: once the session has ended nothing more of it is given out. */
async function* whileSignedIn(
	room: Exports,
	{ session }: Person,
	entries: AsyncIterable<ZipEntry>,
): AsyncGenerator<ZipEntry> {
	for await (const entry of entries) {
		if (!(await room.people.sessions.find(session.id, room.clock.now()))) throw new Failure("unauthorized");
		yield entry;
	}
}

async function* entriesOf(
	room: Exports,
	account: Account,
	storages: readonly ExportedStorage[],
	madeMs: number,
): AsyncGenerator<ZipEntry> {
	const leftOut: string[] = [];
	for (const storage of storages) {
		for await (const image of imagesOf(room, [storage], madeMs)) {
			const content = await contentOf(room, image);
			const name = `${storage.folder}/${image.id}.${image.format}`;
			if (content) yield { name, changedMs: image.createdMs, content };
			else if (leftOut.length < LEFT_OUT_MAX) leftOut.push(image.id);
		}
	}
	const documents = mapped(imagesOf(room, storages, madeMs), room.documents.image);
	yield { name: "images.json", changedMs: madeMs, content: jsonOf(documents) };
	const document = { ...room.documents.account(account), left_out: leftOut };
	yield { name: "account.json", changedMs: madeMs, content: jsonOf(document) };
}

/** Undefined for a picture that was deleted meanwhile, and for one whose stored bytes are damaged: operators hear of it. */
export async function contentOf({ images }: Exports, { blobKey }: Image): Promise<Uint8Array | undefined> {
	try {
		return await (await images.masters.findWhole(blobKey))?.read();
	} catch (cause) {
		if (cause instanceof DamagedMaster) return undefined;
		throw cause;
	}
}

async function* imagesOf(room: Exports, storages: readonly ExportedStorage[], madeMs: number): AsyncGenerator<Image> {
	for (const storage of storages) {
		for await (const page of pagesOf(room, storage, madeMs)) yield* page;
	}
}

async function* pagesOf(room: Exports, { pk }: ExportedStorage, madeMs: number): AsyncGenerator<readonly Image[]> {
	let afterPk = 0;
	for (;;) {
		const page = await room.store.listImages({ storagePk: pk, afterPk, madeMs, limit: PAGE }, room.clock.now());
		const last = page.at(-1);
		if (!last) return;
		yield page;
		afterPk = last.pk;
	}
}
