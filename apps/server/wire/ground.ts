import { mkdir } from "node:fs/promises";
import type { Base } from "@svc/base/base";
import { noted } from "@svc/base/change-notes";
import type { Database } from "@svc/base/database/client";
import { randomBase62 } from "@svc/base/ids";
import type { BlobStore, BlobTrash } from "@svc/base/ports";
import type { MovableClock } from "@svc/billing/simulated/movable-clock-store";
import { type Fleet, openFleet } from "@svc/fleet/fleet";
import { Masters } from "@svc/images/keep/masters";
import { masterStore } from "@svc/images/keep/masters-store";
import type { Pool } from "@svc/imaging/workers/pool/pool";
import type { DatabaseCheck } from "@svc/operator/backups/database-check";
import { upstreams, watchCertificates } from "../certificates.ts";
import type { Config } from "../config/config.ts";
import manifest from "../package.json" with { type: "json" };
import { measured, measuredStore, type PrometheusMeters, prometheusMeters, watchLoopLag } from "../telemetry/meters.ts";
import { openBase, type Runtime } from "./base.ts";
import { openClock } from "./billing.ts";
import { giveUp, type OwnDatabase, openOwnDatabase } from "./database/database.ts";
import type { Durability } from "./database/durability.ts";
import { openPictures, openWorkers, type Pictures } from "./pictures.ts";
import type { OwnKeyring } from "./secret/secret.ts";
import type { Ownership } from "./storage/ownership.ts";
import { openBallast, openStore } from "./storage/storage.ts";

/** What all rooms stand on: files, database, clock, and the makers of renditions. */
export interface Ground {
	readonly base: Base;
	readonly database: Database;
	readonly fleet: Fleet;
	readonly check: DatabaseCheck;
	readonly durability: Durability;
	readonly ownKeyring: OwnKeyring;
	readonly ownership: Ownership;
	readonly blobs: BlobStore;
	readonly trash: BlobTrash;
	readonly masters: Masters;
	readonly workers: Pool;
	readonly pictures: Pictures;
	readonly movableClock: MovableClock | undefined;
	readonly meters: PrometheusMeters;
	readonly renewBallast: () => Promise<void>;
	readonly stopWatching: () => void;
}

/** Leaves nothing open where it fails. */
export async function openGround(config: Config, runtime: Runtime): Promise<Ground> {
	const { log } = runtime;
	const store = await openStore(config, log);
	await mkdir(config.dataDir, { recursive: true });
	const unwatched = prometheusMeters();
	const meters = runtime.telemetry?.watched(unwatched) ?? unwatched;
	const ballast = openBallast(config, log);
	const blobs = measuredStore(store.blobs, meters);
	const own = await openOwnDatabase(config, { ...runtime, store, onFull: ballast.release });
	try {
		return {
			...(await openOn(config, runtime, { own, blobs, meters })),
			ownership: own.ownership,
			check: own.check,
			durability: own.durability,
			ownKeyring: own.ownKeyring,
			trash: store.trash,
			renewBallast: ballast.renew,
		};
	} catch (cause) {
		await giveUp(own);
		throw cause;
	}
}

/** What needs the database already. */
async function openOn(
	config: Config,
	runtime: Runtime,
	{ own, blobs, meters }: { readonly own: OwnDatabase; readonly blobs: BlobStore; readonly meters: PrometheusMeters },
) {
	const { clock: machineClock, log } = runtime;
	const database = measured(noted(own.database), meters);
	meters.gauge("svc_database_relaxed", () => Number(own.durability.isAlarming()));
	const movableClock = await openClock(config, database, machineClock);
	const process = randomBase62(16);
	const { keyring } = own.ownKeyring;
	const fleet = openFleet(database, {
		id: process,
		version: manifest.version,
		clock: machineClock,
		log,
		meters,
		keyring,
	});
	await fleet.beat();
	const clock = movableClock ?? machineClock;
	const base = await openBase(config, database, { keyring, clock, machineClock, process, log, meters });
	const masters = new Masters({ ...base, blobs, store: masterStore(database) });
	const workers = runtime.workers ?? openWorkers(config);
	const pictures = await openPictures(config, base, database, { blobs, masters, workers });
	const stops = [
		watchLoopLag(meters),
		watchCertificates(upstreams(config), { meters, log }),
		workers.attach({ meters, log }),
		...(runtime.workers ? [] : [() => workers.close()]),
	];
	const stopWatching = () => {
		for (const stop of stops) stop();
	};
	return { base, database, fleet, blobs, masters, workers, pictures, movableClock, meters, stopWatching };
}

/** Closes what the rooms stand on, after what is still to be written. */
export async function leave(
	{ database, fleet, check, ownership, pictures, stopWatching }: Ground,
	flush: () => Promise<void> = async () => undefined,
): Promise<void> {
	check.stop();
	stopWatching();
	pictures.models.close();
	await flush();
	await fleet.leave().catch(() => undefined);
	await giveUp({ database, ownership, check });
}

/** Whether the database's word counts about what is stored. What a damaged one does not know says nothing. */
export async function isCertain({ check, ownership }: Ground): Promise<boolean> {
	return check.damage() === undefined && (await ownership.isCertain());
}
