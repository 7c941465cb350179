import type { CheckState, Readiness } from "@svc/api/kit/rooms";
import type { DatabaseHealth } from "@svc/base/database/meta";
import type { BlobStore, Clock, Log } from "@svc/base/ports";

/** Trying costs a commit and a synced file: however many ask, it is done once in this time. */
const FRESH_MS = 1_000;
/** Probes of balancers wait a few seconds at most. */
const ANSWER_MS = 2_000;
/** For so long a store that several processes share may be slow before it counts as failed. */
const SLOW_MS = 60_000;

/** Where requests wait longer than this before they are begun, that is told beside the checks. */
const WAIT_MAX_SECONDS = 1;

/** After so long every process has tried the store that they share, and told the others. */
const OTHERS_KNOWN_MS = 10_000;

/** With a part like this the service is not ready. */
const UNFIT: ReadonlySet<CheckState> = new Set(["failed", "damaged"]);

interface Probed {
	probe(): Promise<void>;
	/** For the log, where the part knows what an operator should do. */
	advice?(): Readonly<Record<string, string>>;
}

export interface ReadinessParts {
	readonly database: DatabaseHealth;
	/** Whether the check at the start has found it damaged. */
	readonly isDatabaseDamaged: () => boolean;
	readonly blobs: Pick<BlobStore, "probe">;
	/** Other processes use this blob store too: being slow, it would take all of them out of their balancer at once. */
	readonly blobsShared: boolean;
	/** Another service has the store, so that this one may not use it. */
	readonly isStoreTaken: () => boolean;
	/** Whether another process can use the store of pictures, as far as is known. */
	readonly canOthersUseBlobs: () => boolean;
	/** Told what was found out about the store. */
	readonly noteBlobs: (work: boolean) => void;
	/** Whether this machine's clock differs from the database's; undefined where both are one machine's. */
	readonly isClockOff: () => boolean | undefined;
	/** Whether a database server syncs each commit; undefined with a file. Another process would find the same. */
	readonly durability: () => "strong" | "relaxed" | undefined;
	/** The service is ready without it. */
	readonly mailState: () => Promise<"ok" | "failing">;
	/** Without this, too. */
	readonly billingState: () => Promise<"ok" | "failing">;
	/** Without the judge of pictures, too; undefined where there is none. */
	readonly scanState?: () => Promise<"ok" | "failing">;
	/** How long requests have waited lately before they were begun. Another process may be as busy: the service is ready all the same. */
	readonly longestWaitSeconds: () => number;
	/** How far the deployment is with its secret; told where it is not "ok". */
	readonly secretState: () => CheckState;
	readonly clock: Clock;
	readonly log: Log;
}

/**
 * Whether requests should come here: the database commits and the blob store keeps bytes, tried for real. Not ready means that another
 * process is better. A bucket that none of them can use is no reason: what needs no bucket works here as everywhere.
 */
export function readinessOf(parts: ReadinessParts): { check(): Promise<Readiness>; drain(): void } {
	const { clock, log } = parts;
	const checks = {
		database: openCheck("database", parts.database, { ...parts, shared: false }),
		blobs: openCheck("blobs", parts.blobs, { ...parts, shared: parts.blobsShared }),
	};
	let draining = false;
	let failingMs: number | undefined;
	let latest: { readonly startedMs: number; readonly answer: Promise<Readiness> } | undefined;

	async function work(): Promise<Readiness> {
		const others = [readPart(parts.mailState), readPart(parts.billingState)] as const;
		const [probed, blobs, mail, billing] = await Promise.all([checks.database(), checks.blobs(), ...others]);
		const database = parts.isDatabaseDamaged() ? "damaged" : probed;
		const clock = parts.isClockOff();
		const clocks: { readonly clocks?: CheckState } = clock === undefined ? {} : { clocks: clock ? "failing" : "ok" };
		const durability = parts.durability();
		const secret = parts.secretState();
		const told = {
			...clocks,
			...(await readScan()),
			...(durability && { durability }),
			...(secret !== "ok" && { secret }),
			...(parts.longestWaitSeconds() > WAIT_MAX_SECONDS && { requests: "failing" as const }),
		};
		const ready = !UNFIT.has(database) && isFitWith(blobs);
		return { ready, checks: { database, blobs, mail, billing, ...told } };
	}

	/** For a moment all wait for each other: then each knows whether the others can use the store. */
	function isFitWith(blobs: CheckState): boolean {
		const works = !UNFIT.has(blobs);
		parts.noteBlobs(works);
		const now = clock.now();
		if (works) {
			if (failingMs !== undefined) log.info("the store of pictures works again");
			failingMs = undefined;
			return true;
		}
		if (failingMs === undefined) log.warn("the store of pictures cannot be used; what needs none goes on");
		failingMs ??= now;
		if (!parts.blobsShared || parts.isStoreTaken()) return false;
		return !parts.canOthersUseBlobs() || now - failingMs < OTHERS_KNOWN_MS;
	}

	/** Where a state cannot be read the database says why, and that is enough to be told. */
	async function readPart(read: () => Promise<CheckState>): Promise<CheckState> {
		return (await settledWithin(read(), ANSWER_MS).catch(() => undefined)) ?? "slow";
	}

	async function readScan(): Promise<{ readonly scan?: CheckState }> {
		return parts.scanState ? { scan: await readPart(parts.scanState) } : {};
	}

	return {
		async check() {
			if (draining) return { ready: false, checks: { service: "draining" } };
			const now = clock.now();
			// A clock that was set back makes it older than any answer.
			const age = latest ? Math.abs(now - latest.startedMs) : Number.POSITIVE_INFINITY;
			if (!latest || age >= FRESH_MS) latest = { startedMs: now, answer: work() };
			return await latest.answer;
		},
		drain() {
			draining = true;
		},
	};
}

/** One part's state, answered in time. A probe that is late is waited for, and no other one is started meanwhile. */
function openCheck(
	name: string,
	part: Probed,
	{ shared, clock, log }: { readonly shared: boolean; readonly clock: Clock; readonly log: Log },
): () => Promise<CheckState> {
	let running: Promise<CheckState> | undefined;
	let succeededMs = Number.NEGATIVE_INFINITY;

	async function attempt(): Promise<CheckState> {
		try {
			await part.probe();
			succeededMs = clock.now();
			return "ok";
		} catch (cause) {
			log.error("a readiness probe failed", { probe: name, cause, ...part.advice?.() });
			return "failed";
		} finally {
			running = undefined;
		}
	}

	function late(): CheckState {
		if (shared && clock.now() - succeededMs < SLOW_MS) return "slow";
		log.error("a readiness probe is late", { probe: name, afterMs: ANSWER_MS, ...part.advice?.() });
		return "failed";
	}

	return async () => {
		running ??= attempt();
		return (await settledWithin(running, ANSWER_MS)) ?? late();
	};
}

/** Undefined when it takes longer. */
async function settledWithin<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const over = new Promise<undefined>((resolve) => {
		timer = setTimeout(() => resolve(undefined), limitMs);
	});
	try {
		return await Promise.race([work, over]);
	} finally {
		clearTimeout(timer);
	}
}
