import { foldName } from "@svc/apps/profile/app-names";
import type { Actor } from "@svc/base/actor";
import { foldEmail } from "@svc/base/email";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { Staged } from "@svc/base/ports";
import { dropBlob, newImageSlot, putMaster } from "@svc/images/create/image-slot";
import type { ArrivalRefusal } from "./arrival-steps-store.ts";
import type { Arrival, Awaited, NewArrival } from "./arrivals-store.ts";
import { type ImageLine, type MoveLine, readLine } from "./records.ts";
import type { Moves } from "./room.ts";

/*
 * An App arrives: its records, then the bytes that are missing, each by its digest, then one commit. Before that commit there is no App, so that nothing of
 * it is served or found; whatever is sent twice is there once.
 */

const DAY_MS = 86_400_000;
/** A blob that is being written is taken for a crash's after an hour. */
const TOUCH_MS = 600_000;

/** An arrival with what is still to come. */
export interface Counted extends Arrival {
	readonly here: { readonly images: number; readonly missing: number };
}

/**
 * Begins, or goes on with, the import of a file.
 * @throws Failure state_conflict where the App lives here already, or comes from another file
 */
export async function openArrival(room: Moves, sent: Omit<NewArrival, "id">, by: Actor): Promise<Counted> {
	const known = await room.arrivals.findOf(sent.appId);
	if (known?.state === "done" && isSame(known.file, sent.file) && (await room.arrivals.isThere(sent.appId))) {
		return await counted(room, known);
	}
	const isTaken = known
		? known.state === "done"
		: (await room.arrivals.open({ ...sent, id: newId("mov") }, by)) === "taken";
	if (isTaken) {
		// The id of an App is never given to a second one.
		if (await room.arrivals.isThere(sent.appId)) throw lives("App");
		throw Failure.saying("state_conflict", DELETED);
	}
	const arrival = found(await room.arrivals.findOf(sent.appId));
	if (!isSame(arrival.file, sent.file)) {
		const { id } = arrival;
		throw Failure.saying("state_conflict", `This App is on its way here from another file (${id}): cancel that first.`);
	}
	return await counted(room, arrival);
}

export async function getArrival(room: Moves, id: string): Promise<Counted> {
	return await counted(room, await requireArrival(room, id));
}

/**
 * Takes records in, and says which bytes are missing for them.
 * @throws Failure validation_error naming a record's field; state_conflict where an id of theirs lives here
 */
export async function addRecords(room: Moves, id: string, sent: readonly unknown[]): Promise<readonly string[]> {
	const arrival = await requireOpen(room, id);
	const lines = sent.map((one, place) => withFold(readLine(room, one, place)));
	for (const [place, line] of lines.entries()) {
		if (line.kind === "app" && line.id !== arrival.appId) throw invalid(`records.${place}.id`, "must be the App's own");
	}
	const taken = await room.arrivals.findTaken(lines);
	if (taken) throw lives(taken);
	const accounts = lines.map(() => newId("acc"));
	if (await room.arrivals.add(arrival, lines, accounts)) throw ended();
	return await room.arrivals.listMissing(
		arrival,
		lines.flatMap((line) => (line.kind === "image" ? [line.id] : [])),
	);
}

function withFold(line: MoveLine): MoveLine {
	return line.kind === "user" ? ({ ...line, email_fold: foldEmail(line.email) } as MoveLine) : line;
}

/**
 * Takes the bytes of an image in, as an upload would be, and compares them with what its record says. The staged file is used up.
 * @returns whether another image waits for the same bytes
 * @throws Failure validation_error under `file`, naming the image that they are not
 */
export async function addMaster(room: Moves, id: string, sha256: string, staged: Staged): Promise<boolean> {
	const leftovers: Staged[] = [staged];
	try {
		const arrival = await requireOpen(room, id);
		const { first, waiting } = await room.arrivals.findAwaited(arrival, Buffer.from(sha256, "hex"));
		if (!first) return false;
		requireDigest(first.line, staged);
		const master = await prove(room, arrival, first.line, staged, leftovers);
		await keep(room, first, master);
		return waiting > 1;
	} finally {
		for (const left of leftovers) await left.discard();
	}
}

async function prove(room: Moves, arrival: Arrival, line: ImageLine, staged: Staged, leftovers: Staged[]) {
	const hints = { filename: line.filename, contentType: undefined };
	const share = { network: `arrivals ${arrival.pk}`, app: `arrivals ${arrival.pk}` };
	const inspected = await room.images.inspector.inspect(staged, hints, room.rules, share).catch((cause: unknown) => {
		if (!(cause instanceof Failure) || cause.code !== "validation_error") throw cause;
		const [why] = Object.values(cause.details ?? {}).flat();
		throw invalid("file", `of ${line.id} ${why ?? "is no picture"}`);
	});
	leftovers.push(inspected.master);
	requireDigest(line, inspected.master);
	const { format, width, height, queued } = inspected;
	const isTold = format === line.format && width === line.width && height === line.height && !queued;
	if (!isTold) throw invalid("file", `of ${line.id} is not the picture that its record tells of`);
	return inspected.master;
}

function requireDigest(line: ImageLine, { sha256, bytes }: Staged): void {
	const isTold = Buffer.from(sha256).toString("hex") === line.sha256 && bytes === line.bytes;
	if (!isTold) throw invalid("file", `of ${line.id} is damaged, or was altered: it has not the digest of its record`);
}

async function keep(room: Moves, awaited: Awaited, master: Staged): Promise<void> {
	const { images, clock } = room;
	const { blobKey } = newImageSlot(awaited.line.id);
	await images.store.claimBlob(blobKey, clock.now());
	await putMaster(images, blobKey, master);
	if (!(await room.arrivals.keepMaster(awaited, blobKey))) await dropBlob(images, blobKey);
}

/**
 * The App comes to be, with all that came along. Sent again, it changes nothing.
 * @throws Failure state_conflict naming what is missing, or lives here
 */
export async function finishArrival(room: Moves, id: string, by: Actor): Promise<Counted> {
	const arrival = await requireArrival(room, id);
	if (arrival.state === "done") return await counted(room, arrival);
	const app = await room.arrivals.findApp(arrival);
	if (!app) throw Failure.saying("state_conflict", REFUSALS.missing);
	const refused = await room.arrivals.finish(arrival, app, foldName(app.name), by);
	if (refused && refused !== "ended") throw Failure.saying("state_conflict", REFUSALS[refused]);
	return await getArrival(room, id);
}

const REFUSALS: Readonly<Record<Exclude<ArrivalRefusal, "ended">, string>> = {
	missing: "Not all records and pictures of the file are here: send the file again.",
	taken: "An id or an address of this file belongs to something that lives here. Nothing was written.",
	doubled: "Two records of this file have one external id, address or user. Nothing was written.",
	astray: "An image of this file belongs to no storage of it. Nothing was written.",
};

/** @throws Failure not_found; state_conflict once the App is here */
export async function cancelArrival(room: Moves, id: string, by: Actor): Promise<void> {
	if (!(await room.arrivals.remove(await requireArrival(room, id), by))) throw ended();
}

/** Removes those that nobody has gone on with for a day; their bytes go with the sweep. */
export function forgetArrivals(room: Moves, limit: number): Promise<number> {
	const now = room.clock.now();
	return room.arrivals.forget(now - DAY_MS, now, limit);
}

async function requireArrival(room: Moves, id: string): Promise<Arrival> {
	return found(isId("mov", id) ? await room.arrivals.find(id) : undefined);
}

async function requireOpen(room: Moves, id: string): Promise<Arrival> {
	const arrival = await requireArrival(room, id);
	if (arrival.state === "done") throw ended();
	const now = room.clock.now();
	if (arrival.touchedMs < now - TOUCH_MS) await room.arrivals.touch(arrival, now);
	return arrival;
}

async function counted(room: Moves, arrival: Arrival): Promise<Counted> {
	if (arrival.state === "done") return { ...arrival, here: { images: arrival.images, missing: 0 } };
	return { ...arrival, here: await room.arrivals.count(arrival) };
}

const DELETED = "This App was here and has been deleted: its id and addresses are not given again.";

function ended(): Failure {
	return Failure.saying("state_conflict", "This App is here already.");
}

function lives(what: string): Failure {
	return Failure.saying(
		"state_conflict",
		`The ${what} of this file, or its address, lives here already. Nothing was written.`,
	);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return Buffer.from(one).equals(Buffer.from(other));
}
