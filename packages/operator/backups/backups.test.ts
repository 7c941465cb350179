import { describe, expect, test } from "bun:test";
import { JobFailure } from "@svc/base/failure";
import type { BackupFolder, DatabaseSnapshot, SnapshotBlob, Snapshots, StoredBlob } from "@svc/base/ports";
import { type JobRun, JobStopped } from "@svc/jobs/jobs";
import type { Operator } from "../room.ts";
import { makeBackup } from "./backups.ts";

const blobOf = (place: number): SnapshotBlob => ({
	imageId: `img_${place}`,
	blobKey: `img_${place}/n`,
	bytes: place,
	sha256: `sha-${place}`,
});

/** A world in which everything succeeds, and what happened in it. */
function world(changes: { readonly [Part in keyof Snapshots]?: Snapshots[Part] } & Partial<BackupFolder> = {}) {
	const seen: string[] = [];
	const note = (what: string) => async () => {
		seen.push(what);
	};
	const blobs = [1, 2, 3].map(blobOf);
	const snapshot: DatabaseSnapshot = {
		images: blobs.length,
		migration: "0001_x",
		async *blobs() {
			yield blobs.slice(0, 2);
			yield blobs.slice(2);
		},
		close: note("closed"),
	};
	const folder: BackupFolder = {
		databasePath: "/b/svc.db",
		requireRoom: note("room"),
		keep: async (_, blob) => blob && { bytes: blob.bytes, sha256: `sha-${blob.bytes}` },
		async seal({ images, damaged }) {
			seen.push(`sealed ${images} ${damaged}`);
			return { path: "/b", files: 4, bytes: 99 };
		},
		discard: note("discarded"),
		...changes,
	};
	const room = {
		snapshots: { bytes: async () => 10, copy: note("copied"), open: async () => snapshot, ...changes },
		backupFolders: { open: async () => folder },
		images: {
			blobs: { find: async (key: string) => ({ bytes: Number(key.slice(4, -2)) }) as StoredBlob },
			masters: { isWhole: async () => false },
		},
		jobs: { store: { expect: async () => true, advance: async () => true } },
		clock: { now: () => 0 },
		log: { error: () => undefined, info: () => undefined },
		instance: { version: "1" },
	} as unknown as Operator;
	const run = {
		job: { lease: { claim: "abcdefghijkl" }, payload: {} },
		yieldToRequests: async () => undefined,
	} as unknown as JobRun<"backup.make">;
	return { room, run, seen };
}

describe("a backup", () => {
	test("is sealed after all of it has been kept", async () => {
		const { room, run, seen } = world();
		expect(await makeBackup(room, run)).toEqual({ path: "/b", images: 3, files: 4, bytes: 99, damaged: 0 });
		expect(seen).toEqual(["room", "copied", "closed", "sealed 3 0"]);
	});

	test("counts what is missing, and what is not what was stored", async () => {
		const { room, run, seen } = world({
			keep: async (_, blob) => blob && { bytes: blob.bytes, sha256: "other" },
		});
		const images = { ...room.images, blobs: { ...room.images.blobs, find: async () => undefined } };
		expect((await makeBackup({ ...room, images }, run)).damaged).toBe(3);
		expect((await makeBackup(room, run)).damaged).toBe(3);
		expect(seen).toContain("sealed 3 3");
	});

	test("goes on past what cannot be read, and counts it", async () => {
		const keep: BackupFolder["keep"] = async (key, _, expected) => (key === "img_2/n" ? undefined : expected);
		const { room, run, seen } = world({ keep });
		expect((await makeBackup(room, run)).damaged).toBe(1);
		expect(seen).toContain("sealed 3 1");
	});

	test("ends a copy that takes long when the worker has to stop, and leaves nothing", async () => {
		const copy: Snapshots["copy"] = (_, signal) =>
			new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("killed"))));
		const { room, run, seen } = world({ copy });
		const stopping = { ...run, yieldToRequests: async () => Promise.reject(new JobStopped("stop")) };
		expect(await makeBackup(room, stopping).catch((cause: unknown) => cause)).toBeInstanceOf(JobStopped);
		expect(seen).toEqual(["room", "discarded"]);
	});

	test("leaves nothing when a blob cannot be kept, and waits for the others before it goes", async () => {
		let slow = 0;
		const keep: BackupFolder["keep"] = async (key, _, expected) => {
			if (key.startsWith("img_1")) throw new Error("cannot be read");
			await new Promise((resolve) => setTimeout(resolve, 20));
			slow += 1;
			return expected;
		};
		const { room, run, seen } = world({ keep });
		expect(await makeBackup(room, run).catch(String)).toBe("Error: cannot be read");
		expect([slow, seen]).toEqual([1, ["room", "copied", "closed", "discarded"]]);
	});

	test("stops, unsealed, once another worker has the job", async () => {
		const { room, run, seen } = world();
		const jobs = { ...room.jobs, store: { ...room.jobs.store, advance: async () => false } };
		expect(await makeBackup({ ...room, jobs }, run).catch((cause: unknown) => cause)).toBeInstanceOf(JobStopped);
		expect(seen).toEqual(["room", "copied", "closed", "discarded"]);
	});

	test("fails for good where the database is on a server", async () => {
		const { room, run } = world();
		const failed = makeBackup({ ...room, snapshots: undefined }, run);
		expect(await failed.catch((cause: unknown) => cause)).toBeInstanceOf(JobFailure);
	});
});
