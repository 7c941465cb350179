import type { Actor } from "@svc/base/actor";
import type { DamageKind } from "@svc/base/enumerations";
import { type Comparison, compareWithProcessor } from "@svc/billing/processor/processor-compare";
import type { Damage, Depth, MasterRecord } from "@svc/images/keep/master-damage";
import { DamagedMaster } from "@svc/images/keep/masters";
import { pixelMend } from "@svc/images/transform/mends";
import type { Drift } from "@svc/images/usage/recount-store";
import { type Job, type JobPayloads, type JobRun, JobStopped, newJob } from "@svc/jobs/jobs";
import type { Operator } from "./room.ts";

/*
 * Whether what the database tells agrees with itself, and with the stored bytes: counters are corrected, damaged originals are named, and
 * brought back from a backup where that is asked for. Subscriptions are compared with those of the payment processor, and originals with what
 * earlier releases showed of them.
 */

/** An image whose stored bytes are not those that its row tells of. */
interface DamagedImage {
	readonly image_id: string;
	readonly app_id: string;
	readonly kind: DamageKind;
	/** How many bytes there should be. */
	readonly bytes: number;
	/** Null where there are none, or none that can be read. */
	readonly found_bytes: number | null;
	/** Only of a job that repairs: whether it is whole again. */
	readonly repaired?: boolean;
}

/** An image of which earlier releases made something else than is made now. */
interface MendedImage {
	readonly image_id: string;
	readonly app_id: string;
	/** What its original has. */
	readonly why: readonly string[];
}

/** An image that was stored without a profile when its HEIC was converted. */
interface ConvertedImage {
	readonly image_id: string;
	readonly app_id: string;
	readonly created_at: string;
}

/** The result of a job, which operators read. */
interface ReconcileResult extends MendResult {
	readonly usage: {
		/** Counters that differed, and were corrected. */
		readonly drifts: readonly Drift[];
	};
	/** What the payment processor has and we do not, or the reverse. */
	readonly billing: Comparison;
	/** Those that were found, at most a thousand of them. */
	readonly damaged: readonly DamagedImage[];
	readonly damaged_total: number;
	/** How many of them are whole again; only of a job that repairs. */
	readonly repaired?: number;
}

interface MendResult {
	/** Their renditions of before are made anew when they are asked for; at most a thousand. */
	readonly mended: readonly MendedImage[];
	readonly mended_total: number;
	/** Whether the HEIC gave its colours by numbers nobody can tell any more; at most a thousand. */
	readonly converted_without_profile: readonly ConvertedImage[];
	readonly converted_without_profile_total: number;
}

type ReconcileWish = JobPayloads["reconcile"];

const PAGE = 100;
const NAMED_MAX = 1_000;

/** Starts a reconcile, or returns the same one that is under way. */
export async function startReconcile(room: Operator, wish: ReconcileWish, by: Actor): Promise<Job> {
	const dedupe = ["reconcile", wish.scrub && "scrub", wish.repair && "repair"].filter(Boolean).join(" ");
	const job = await room.jobs.store.enqueue(newJob("reconcile", wish, { dedupe, startedBy: by.actor }), by);
	room.jobs.wake();
	return job;
}

/** Every try starts over; what was repaired by then is found whole. */
export async function reconcile(room: Operator, run: JobRun<"reconcile">): Promise<ReconcileResult> {
	const { repair = false, scrub = false } = run.job.payload;
	const drifts = await room.images.recounter.recount(room.clock.now());
	const damaged: DamagedImage[] = [];
	// Far away a look would fetch all of a master.
	const mends = new FoundImages(room.images.blobs.local || scrub);
	let total = 0;
	let repaired = 0;
	for await (const found of damagedImages(room, run, mends)) {
		total += 1;
		if (found.repaired) repaired += 1;
		if (damaged.length < NAMED_MAX) damaged.push(found);
	}
	const billing = await compareWithProcessor(room.billing, { repair });
	return {
		...{ usage: { drifts }, billing, damaged, damaged_total: total, ...(repair && { repaired }) },
		...mends.result(),
	};
}

/** What was found about originals that earlier releases showed otherwise. */
class FoundImages {
	readonly #mended: MendedImage[] = [];
	readonly #converted: ConvertedImage[] = [];
	readonly #totals = { mended: 0, converted: 0 };
	readonly #looks: boolean;

	constructor(looks: boolean) {
		this.#looks = looks;
	}

	/** What is asked for from then on is made of what is known here; what is seen of such a picture is seen once more. */
	async look(
		{ looks, shrunkMasters }: Operator["images"],
		record: MasterRecord,
		damage: Damage | undefined,
	): Promise<void> {
		const { format, isConverted, imageId: image_id, appId: app_id, createdMs } = record;
		// What else was mended of a JPEG is rare, and found out when it is asked for.
		if (!this.#looks || damage || (format === "jpg" && !isConverted)) return;
		const mends = await looks.find(record).catch(unlessDamaged);
		const why = mends?.has.filter((name) => name !== "no profile") ?? [];
		if (why.length > 0 && this.#totals.mended++ < NAMED_MAX) this.#mended.push({ image_id, app_id, why });
		if (pixelMend({ format, mends }) > 0) await shrunkMasters.describeAnew(record);
		if (!isConverted || !mends?.has.includes("no profile")) return;
		const created_at = new Date(createdMs).toISOString();
		if (this.#totals.converted++ < NAMED_MAX) this.#converted.push({ image_id, app_id, created_at });
	}

	result(): MendResult {
		return {
			...{ mended: this.#mended, mended_total: this.#totals.mended },
			...{ converted_without_profile: this.#converted, converted_without_profile_total: this.#totals.converted },
		};
	}
}

function unlessDamaged(error: unknown): undefined {
	if (!(error instanceof DamagedMaster)) throw error;
}

async function* damagedImages(
	room: Operator,
	run: JobRun<"reconcile">,
	mends: FoundImages,
): AsyncGenerator<DamagedImage> {
	const { scrub = false, repair = false } = run.job.payload;
	const { masters } = room.images;
	for (let after = 0; ; ) {
		const page = await masters.list(after, PAGE);
		for (const record of page) {
			await run.yieldToRequests();
			const damage = await masters.check(record, depthFor(record, scrub), run.yieldToRequests);
			await mends.look(room.images, record, damage);
			if (damage) yield { ...described(record, damage), ...(repair && { repaired: await bringBack(room, record) }) };
		}
		const last = page.at(-1);
		if (!last) return;
		after = last.pk;
		if (!(await room.jobs.store.advance(run.job.lease, page.length)))
			throw new JobStopped("another worker has this job");
	}
}

/** What is known to be damaged is read again: its size alone would not tell. */
function depthFor({ known }: MasterRecord, scrub: boolean): Depth {
	return scrub || known !== null ? "stored" : "size";
}

function described({ imageId, appId, bytes }: MasterRecord, { kind, found }: Damage): DamagedImage {
	return { image_id: imageId, app_id: appId, kind, bytes, found_bytes: found?.bytes ?? null };
}

/** Takes a copy that is whole from a backup. False where there is none. */
async function bringBack(
	{ images: { blobs, masters }, backupFolders }: Operator,
	record: MasterRecord,
): Promise<boolean> {
	const { blobKey, bytes, sha256 } = record;
	const copy = await backupFolders.findCopy(blobKey, { bytes, sha256 });
	if (!copy) return false;
	const staged = await blobs.stage(copy, bytes);
	try {
		// The copy may have been damaged since it was compared.
		if (Buffer.from(staged.sha256).toString("hex") === sha256) await blobs.replace(blobKey, staged);
	} finally {
		await staged.discard();
	}
	return await masters.isWhole(blobKey);
}
