import { newId } from "@svc/base/ids";
import type { Image } from "@svc/images/images";
import { isTransformable } from "@svc/images/transform/transform";
import { SERVICE } from "../deeds.ts";
import type { Moderation } from "../room.ts";
import { pronounce } from "../verdicts.ts";
import { ask, type Judge, type ScanVerdict } from "./judge.ts";
import type { ScannedPicture, scanStore, WaitingScan } from "./scans-store.ts";

/** How many are asked about at once. */
const AT_ONCE = 4;
const UNHELD_AT_ONCE = 100;
/** After so many tries what holds without a judge is done to an image. */
const TRIES = 3;
const WAITS_MS = [1_000, 4_000] as const;
/** Then it is asked again from time to time, for as long as it may be away. */
const AGAIN_MS = 60_000;
const AGAIN_MAX_MS = 600_000;
/** Of a judge that answers for other pictures. */
const TRIES_MAX = 20;
/** The same bytes are judged anew after so long: nothing is kept for ever of a picture that is gone. */
const KEPT_MS = 90 * 86_400_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGOTTEN_AT_ONCE = 10_000;

const ABSENT = "The judge of pictures did not answer.";

interface ScanParts {
	readonly judge: Judge;
	readonly store: ReturnType<typeof scanStore>;
	readonly moderation: Moderation;
	/** A JPEG of at most 640 pixels. Rejects for an image that cannot be decoded, and while too much is drawn. */
	readonly draw: (image: Image) => Promise<Uint8Array>;
	/** Whether this process does what is done once for all: then nothing is asked twice. */
	readonly leads: () => boolean;
}

/** Shows each new picture to a judge of the operator's own, and does what that says. What waits lies in a table. */
export class Scans {
	readonly #parts: ScanParts;
	readonly #running = new Map<number, Promise<void>>();
	/** By digest: a picture that came twice is asked about once. */
	readonly #asking = new Map<string, Promise<ScanVerdict>>();
	readonly #stopping = new AbortController();
	/** Tries in a row to which there was no answer. */
	#failures = 0;
	#forgottenMs = 0;
	#looking: Promise<void> | undefined;

	constructor(parts: ScanParts) {
		this.#parts = parts;
	}

	/** Whether the judge is away. */
	get isFailing(): boolean {
		return this.#failures >= TRIES;
	}

	/** Begins to ask about what is due; resolves when it has begun. Rejects when the database is away. */
	async look(): Promise<void> {
		this.#looking ??= this.#look().finally(() => {
			this.#looking = undefined;
		});
		await this.#looking;
	}

	/** Until nothing is due any more. */
	async drain(): Promise<void> {
		do {
			await Promise.all(this.#running.values());
			await this.look();
		} while (this.#running.size > 0);
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#looking?.catch(() => undefined);
		await Promise.all(this.#running.values());
	}

	async #look(): Promise<void> {
		const { store, moderation, leads } = this.#parts;
		if (this.#stopping.signal.aborted || !leads()) return;
		// While it is away pictures may come faster than it is asked about them.
		if (this.isFailing) for (const scan of await store.listUnheld(UNHELD_AT_ONCE)) await this.#hold(scan);
		await this.#forget();
		const free = AT_ONCE - this.#running.size;
		if (free <= 0) return;
		for (const scan of await store.listDue(moderation.clock.now(), [...this.#running.keys()], free)) {
			const work = this.#judge(scan)
				.catch((cause: unknown) =>
					moderation.log.error("A verdict could not be carried out", { image: scan.imageId, cause }),
				)
				.finally(() => {
					this.#running.delete(scan.pk);
					this.look().catch(() => undefined);
				});
			this.#running.set(scan.pk, work);
		}
	}

	async #forget(): Promise<void> {
		const { store, moderation } = this.#parts;
		const nowMs = moderation.clock.now();
		if (nowMs < this.#forgottenMs + FORGET_EVERY_MS) return;
		this.#forgottenMs = nowMs;
		await store.forget(nowMs - KEPT_MS, FORGOTTEN_AT_ONCE);
	}

	async #judge(scan: WaitingScan): Promise<void> {
		const { store, moderation } = this.#parts;
		const picture = await store.findPicture(scan.imageId, moderation.clock.now());
		// What is kept as it is, such as an SVG, has no pixels to be shown.
		if (!picture || !isTransformable(picture.image.format)) return await store.settle([scan.pk]);
		let said = await store.findVerdict(picture.sha256);
		try {
			said ??= await this.#askOnce(picture);
		} catch (cause) {
			return await this.#putOff(scan, cause);
		}
		await this.#carryOut(picture.image, said);
		await store.settle([scan.pk]);
	}

	#askOnce(picture: ScannedPicture): Promise<ScanVerdict> {
		const digest = Buffer.from(picture.sha256).toString("hex");
		const asked = this.#asking.get(digest) ?? this.#ask(picture, digest).finally(() => this.#asking.delete(digest));
		this.#asking.set(digest, asked);
		return asked;
	}

	async #ask({ image, appId, sha256 }: ScannedPicture, digest: string): Promise<ScanVerdict> {
		const { judge, store, moderation, draw } = this.#parts;
		const { clock, meters } = moderation;
		const picture = Buffer.from(await draw(image)).toString("base64");
		const body = JSON.stringify({ image_id: image.id, app_id: appId, sha256: digest, picture });
		try {
			const said = await ask(judge, { id: `scn_${digest}`, body, nowMs: clock.now() }, this.#stopping.signal);
			await store.keepVerdict(sha256, said, clock.now());
			meters.count("svc_scans_total", { result: said.verdict });
			if (this.isFailing) await store.wake(clock.now());
			this.#failures = 0;
			return said;
		} catch (cause) {
			this.#failures += 1;
			meters.count("svc_scans_total", { result: "failed" });
			throw cause;
		}
	}

	/** The history says that the service did it; operators decide otherwise as about any image. */
	async #carryOut(image: Image, { verdict, reason }: ScanVerdict): Promise<void> {
		const { moderation } = this.#parts;
		if (verdict === "pass" || verdict === "flag") await this.#release(image);
		if (verdict === "pass") return;
		const note = `The judge of pictures says ${verdict}.`;
		await pronounce(moderation, image, { verdict, reason, note });
		if (verdict === "flag") await this.#change(image, { verb: "nsfw", note, revision: null, blobKey: image.blobKey });
	}

	/** Ends the lock of a picture that nobody had judged, unless somebody has decided since. */
	async #release({ id }: Image): Promise<void> {
		const { moderation } = this.#parts;
		const found = await moderation.store.find(id, moderation.clock.now());
		const [last] = found?.actions ?? [];
		if (!found?.image.locked || !last || last.actor !== SERVICE || last.action !== "lock" || last.note !== ABSENT)
			return;
		await this.#change(found.image, {
			verb: "unlock",
			note: "The judge of pictures answers.",
			revision: found.image.revision,
		});
	}

	async #change(
		{ id }: Image,
		change: { verb: "nsfw" | "unlock"; note: string; revision: number | null; blobKey?: string },
	): Promise<void> {
		const { moderation } = this.#parts;
		const by = { actor: SERVICE, requestId: null, nowMs: moderation.clock.now() };
		await moderation.store.change(id, { id: newId("mod"), reason: null, reopensReports: false, ...change }, by);
	}

	async #putOff(scan: WaitingScan, cause: unknown): Promise<void> {
		const { store, moderation } = this.#parts;
		if (this.#stopping.signal.aborted) return;
		const tries = scan.tries + 1;
		moderation.log.warn("A picture was not judged", { image: scan.imageId, tries, cause });
		if (tries >= TRIES && scan.heldMs === null) await this.#hold(scan);
		if (tries >= TRIES_MAX && !this.isFailing) return await store.settle([scan.pk]);
		const wait = WAITS_MS[tries - 1] ?? Math.min(AGAIN_MAX_MS, AGAIN_MS * 2 ** (tries - TRIES));
		await store.putOff(scan, tries, moderation.clock.now() + wait);
	}

	/** What holds while there is no judge; once for each image. */
	async #hold(scan: WaitingScan): Promise<void> {
		const { judge, store, moderation } = this.#parts;
		const nowMs = moderation.clock.now();
		const picture = judge.absent === "lock" ? await store.findPicture(scan.imageId, nowMs) : undefined;
		if (picture && isTransformable(picture.image.format) && !(await store.findVerdict(picture.sha256)))
			await pronounce(moderation, picture.image, { verdict: "lock", reason: "content_policy", note: ABSENT });
		await store.hold(scan, nowMs);
	}
}
