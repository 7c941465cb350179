import { Failure, type FailureCode, FetchAgain } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { createImage } from "@svc/images/create/create-image";
import { type IdempotencyKey, keyHash } from "@svc/images/create/idempotency";
import { JobEnd, type JobRun, JobStopped, requireLease } from "@svc/jobs/jobs";
import type { PlacedImport } from "./import.ts";
import { accessNow } from "./imports.ts";
import { ImportLine, type WaitingItem } from "./line.ts";
import type { Imports } from "./room.ts";
import { doneSteps, type ItemPlace, madeSteps, type StartedItem } from "./run-store.ts";

/*
 * The job of an import. Each item is a create by address, whose commit also says that the item is made: however often a try is
 * cut off, it makes one image. The job gives way every few seconds, so that a long list keeps no other job waiting.
 */

const BOUNDS = { atOnce: 8, perHost: 4 };
const TURN_MS = 10_000;
/** Until it is looked again whether an item may begin. */
const LOOK_MS = 100;

const TRIES = 3;
/** After the first try, and after the second. */
const PAUSES_MS = [2_000, 10_000] as const;
/** In which all tries of an item begin. */
const TRYING_MS = 60_000;
/** A try of a process that is gone still holds the item. */
const HELD_MS = 5_000;

/** What is ours, and keeps every item from being made: it is waited for, and no item fails by it. */
const AWAY: ReadonlySet<FailureCode> = new Set(["app_context_unavailable", "create_outcome_ambiguous"]);
const AWAY_IN_TIME: ReadonlySet<FailureCode> = new Set(["import_failed", "upload_failed"]);

/** A turn of one worker. */
interface Turn {
	readonly placed: PlacedImport;
	readonly run: JobRun<"import">;
	readonly line: ImportLine;
}

export async function runImport(room: Imports, run: JobRun<"import">): Promise<JobEnd> {
	const { id, lease } = run.job;
	const placed = await room.store.findPlaced(id);
	// With the storage all of it went.
	if (!placed) return new JobEnd({ created: 0, failed: 0 }, []);
	const { made } = placed;
	requireLease(await room.store.begin(made.pk, lease, room.clock.now()));
	const line = new ImportLine(await room.store.listQueued(made.pk), BOUNDS);
	await workThrough(room, { placed, run, line });
	if (!line.isEmpty) throw new JobStopped("other jobs have their turn");
	const counted = await room.store.countItems(made.pk);
	const result = { created: counted.get("created") ?? 0, failed: counted.get("failed") ?? 0 };
	return new JobEnd(result, doneSteps(made, room.clock.now()));
}

/** Resolves when the line is empty or the turn is over, and nothing is at work. @throws JobStopped, and what kept an item from being judged */
async function workThrough(room: Imports, turn: Turn): Promise<void> {
	const { line, run } = turn;
	const endMs = room.machineClock.now() + TURN_MS;
	const atWork = new Set<Promise<void>>();
	const faults: unknown[] = [];
	const mayBegin = () => faults.length === 0 && room.machineClock.now() < endMs;
	do {
		for (let item = begin(); item; item = begin()) {
			const work: Promise<void> = make(room, turn, item)
				.catch((fault: unknown) => {
					faults.push(fault);
				})
				.finally(() => atWork.delete(work));
			atWork.add(work);
		}
		await Promise.race([...atWork, pause(room, LOOK_MS)]);
		await run.yieldToRequests();
	} while (mayBegin() && !(line.isEmpty && atWork.size === 0));
	await Promise.all(atWork);
	if (faults.length > 0) throw faults[0];

	function begin(): WaitingItem | undefined {
		return mayBegin() ? line.next(room.clock.now()) : undefined;
	}
}

async function make(room: Imports, turn: Turn, item: WaitingItem): Promise<void> {
	const { placed, run, line } = turn;
	const { lease } = run.job;
	const at: ItemPlace = { importPk: placed.made.pk, place: item.place };
	const sinceMs = item.sinceMs ?? room.clock.now();
	try {
		const started = await room.store.start(at, lease, room.clock.now());
		if (started === "gone") return;
		if (started === "lost") throw lost();
		await create(room, turn, { at, url: item.url, ...started });
	} catch (cause) {
		const pauseMs = pauseAfter(cause, { ...item, sinceMs }, room.clock.now());
		if (pauseMs === undefined) {
			requireLease(await room.store.fail(at, lease, shownFailure(cause), room.clock.now()));
			return;
		}
		const now = room.clock.now();
		const tried = { tries: isHeld(cause) ? item.tries : item.tries + 1, sinceMs, dueMs: now + pauseMs };
		requireLease(await room.store.putBack(at, lease, tried, now));
		line.again({ ...item, ...tried });
	} finally {
		line.leave(item);
	}
}

async function create(
	room: Imports,
	{ placed, run }: Turn,
	{ at, url, imageId, fields }: StartedItem & { readonly at: ItemPlace; readonly url: string },
): Promise<void> {
	const now = await room.store.findPlaced(placed.made.id);
	if (!now) throw new Failure("workspace_unavailable");
	const access = await accessNow(room, now);
	// No Idempotency-Key that is sent can be the same: they are printable.
	const hash = keyHash(`\0${placed.made.id} ${at.place}`);
	const key: IdempotencyKey = {
		hash,
		fingerprint: hash,
		reserved: { imageId, steps: ({ createdMs }) => madeSteps(at, run.job.lease, createdMs) },
	};
	const { image } = await createImage(
		room.images,
		access,
		{ source: { kind: "import", url }, fields, key },
		room.rules,
	);
	room.images.shrunkMasters.want(image);
}

/** How long to wait for another try, in milliseconds; undefined where there is none. @throws what is no fault of the item */
function pauseAfter(cause: unknown, { tries, sinceMs }: WaitingItem, nowMs: number): number | undefined {
	if (!(cause instanceof Failure) || isAway(cause)) throw cause;
	if (isHeld(cause)) return HELD_MS;
	// Its own commit was refused, because the job is another worker's by now.
	if (cause.code === "state_conflict" && cause.details === undefined) throw lost();
	const pauseMs = PAUSES_MS[tries];
	if (!mayPass(cause) || pauseMs === undefined || tries + 1 >= TRIES) return undefined;
	return nowMs + pauseMs - (sinceMs ?? nowMs) <= TRYING_MS ? pauseMs : undefined;
}

function isAway({ code, timedOut }: Failure): boolean {
	return AWAY.has(code) || (AWAY_IN_TIME.has(code) && timedOut);
}

function isHeld(cause: unknown): boolean {
	return cause instanceof Failure && cause.code === "idempotency_key_in_progress";
}

function mayPass(failure: Failure): boolean {
	if (failure.code === "fetch_failed") return failure instanceof FetchAgain || failure.timedOut;
	return failure.code === "server_error";
}

function shownFailure(cause: unknown): Readonly<Record<string, unknown>> {
	if (cause instanceof Failure) return errorBody(cause).error;
	throw cause;
}

function lost(): JobStopped {
	return new JobStopped("another worker has this job");
}

function pause({ ticker }: Imports, milliseconds: number): Promise<void> {
	return new Promise((resolve) => {
		const stop = ticker.every(milliseconds, async () => {
			stop();
			resolve();
		});
	});
}
