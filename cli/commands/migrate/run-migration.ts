import { EXIT, type ExitCode, Interrupted, LocalError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import type { Came, CameFile } from "@svc/migrate/came-file";
import { importChunk } from "@svc/migrate/import-chunk";
import type { Missing, MissingFile } from "@svc/migrate/missing-file";
import type { Move, MoveOutcome, Ready } from "@svc/migrate/move";
import { bringOne } from "@svc/migrate/one-by-one";
import type { Parcel } from "@svc/migrate/parcels";
import type { Unfit } from "@svc/migrate/sources/source";
import type { Context } from "../../kit/command.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { exitOf } from "../../kit/refusal.ts";
import { type ItemFailure, reportFailures } from "../../kit/report.ts";
import { stopsAll } from "../../kit/work/batch.ts";
import { inOrder } from "../../kit/work/in-order.ts";
import { SUMMARY_COLUMNS, type Tally } from "./tally.ts";

/** An App may have 5 imports at once, and is left one for others. */
const AT_ONCE = 4;
/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const CAME_COLUMNS: readonly Column<Came>[] = [...fields("line", "address", "id", "url", "external_id", "state")];
/** How many failures are printed; the file has all of them. */
const SHOWN = 20;

export interface Migration {
	readonly context: Context;
	readonly move: Move;
	readonly parcels: AsyncIterable<Parcel>;
	readonly came: CameFile;
	readonly missing: MissingFile;
	readonly tally: Tally;
	/** For people: where the two lists are. */
	readonly paths: { readonly came: string; readonly missing: string };
}

type Brought =
	| { readonly outcomes: readonly MoveOutcome[] }
	/** Nothing more can be brought. */
	| { readonly stop: ItemFailure };

/** Of one that may fail a million times. */
class Failures {
	readonly shown: ItemFailure[] = [];
	readonly exits = new Set<ExitCode>();
	count = 0;

	add(failure: ItemFailure): void {
		this.count++;
		this.exits.add(exitOf(failure.error));
		if (this.shown.length < SHOWN) this.shown.push(failure);
	}
}

/** Brings what is to come, a few parcels at once, and says what came and what did not. */
export async function runMigration(migration: Migration): Promise<ExitCode> {
	const { out, globals, process } = migration.context;
	const failures = new Failures();
	const rows = bringAll(migration, failures);
	const isWatched = process.out.isTerminal && globals.format === undefined && globals.field === undefined && !out.quiet;
	if (isWatched) for await (const _ of rows);
	else await out.rows(CAME_COLUMNS, rows);
	if (process.signal.aborted) {
		await out.note("What the service fetches itself goes on without this command.");
		throw new Interrupted();
	}
	if (isWatched) await out.record(SUMMARY_COLUMNS, migration.tally.counts);
	return await conclude(migration, failures);
}

async function* bringAll(migration: Migration, failures: Failures): AsyncGenerator<Came, void, undefined> {
	const { move, came, missing, tally } = migration;
	const { signal } = move.context.process;
	let stopped = false;

	async function* wanted(): AsyncGenerator<Parcel, void, undefined> {
		for await (const parcel of migration.parcels) {
			if (stopped || signal.aborted) return;
			yield parcel;
		}
	}

	for await (const brought of inOrder(wanted(), AT_ONCE, (parcel) => bring(move, parcel))) {
		await tally.clear();
		if ("stop" in brought) {
			stopped = true;
			if (!signal.aborted) failures.add(brought.stop);
			continue;
		}
		const arrived = brought.outcomes.flatMap((one) => (one.state === "came" ? [one] : []));
		const lacking = brought.outcomes.flatMap(lackingIn);
		await came.add(arrived.map((one) => ({ ...one.came, key: one.picture.key })));
		await missing.add(lacking);
		for (const one of lacking.filter(({ state }) => state === "failed")) {
			failures.add({ item: `line ${one.line}, ${one.address}`, error: one.error });
			stopped ||= stopsAll(one.error);
		}
		const rows = arrived.map((one) => one.came);
		tally.count(rows, lacking);
		yield* rows;
		await tally.show();
	}
	await tally.clear();
}

async function bring(move: Move, parcel: Parcel): Promise<Brought> {
	if (parcel.kind === "broken") return { stop: { item: "the list of pictures", error: parcel.error } };
	if (parcel.kind === "unfit") return { outcomes: [unfit(parcel.unfit)] };
	const pictures = parcel.kind === "one" ? [parcel.picture] : parcel.pictures;
	try {
		const outcomes = parcel.kind === "one" ? [await bringOne(move, parcel.picture)] : await importChunk(move, pictures);
		return { outcomes };
	} catch (error) {
		return { stop: { item: named(pictures), error } };
	}
}

function unfit({ line, address, why, isNoPicture }: Unfit): MoveOutcome {
	const state = isNoPicture ? "no_picture" : "failed";
	return { state: "missing", missing: { line, address, external_id: null, state, error: new LocalError(why) } };
}

function named(pictures: readonly Ready[]): string {
	const [first, last] = [pictures[0], pictures.at(-1)];
	if (!first || !last || first === last) return `line ${first?.line}, ${first?.address}`;
	return `lines ${first.line} to ${last.line}`;
}

/** What is not here of a picture: all of it, or what was said of it. */
function lackingIn(outcome: MoveOutcome): readonly Missing[] {
	if (outcome.state === "missing") return [outcome.missing];
	const { line, address, externalId, leftOut } = outcome.picture;
	return leftOut.length === 0 ? [] : [{ line, address, external_id: externalId, state: "in_part", left_out: leftOut }];
}

async function conclude({ context, tally, paths }: Migration, failures: Failures): Promise<ExitCode> {
	const { out } = context;
	const { came, there, failed, no_picture: others, in_part: inPart } = tally.counts;
	await reportFailures(failures.shown, context);
	if (out.isJson) return exitFor(failures, came + there);
	if (failures.count > SHOWN) await out.note(`and ${failures.count - SHOWN} more.`);
	if (failed + others + inPart > 0) await out.note(`What did not come, and why: ${printableLine(paths.missing)}`);
	if (came + there > 0) await out.note(`Old addresses and new ones: ${printableLine(paths.came)}`);
	if (failures.count > 0) await out.note("Run the same command again for those that failed; nothing comes twice.");
	return exitFor(failures, came + there);
}

/** As {@link exitForAll}, of codes. */
function exitFor({ count, exits }: Failures, arrived: number): ExitCode {
	if (count === 0) return EXIT.ok;
	if (arrived > 0) return EXIT.partly;
	const [first = EXIT.failed, ...others] = exits;
	return others.length === 0 ? first : EXIT.failed;
}
