import type { Step } from "@svc/base/database/step";
import type { JobState } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";

/** Every kind of slow or failable work, with its payload. Ids rather than numbers: operators read them. */
export interface JobPayloads {
	/** Empties a storage that is being deleted, image by image, then removes it. */
	"storage.empty": { readonly storageId: string };
	/** Empties all storages of an account, ends its connections, keys and sessions, then forgets its address. */
	"account.delete": { readonly accountId: string };
	/** Empties all storages of an App, then removes the App and all that belongs to it. */
	"app.delete": { readonly appId: string };
	/** Fully inspects an image of which only the header was read before the answer. */
	"image.process": { readonly imageId: string };
	/** Counts the pictures of an account, or of one of its storages, and makes the file of them ready to be fetched. */
	"account.export": {
		readonly accountId: string;
		/** Left out: all that Apps keep for the account. */
		readonly appId?: string | undefined;
	};
	/** Counts what an App has, up to its newest image and user: its export. */
	app_export: { readonly appId: string; readonly lastImagePk: number; readonly lastUserPk: number };
	/** Makes an image of each address of an import, which has the job's id. */
	import: Readonly<Record<string, never>>;
	/** Changes all images that a filter finds; has the job's id. */
	image_job: Readonly<Record<string, never>>;
	/** Counts every storage and App again, and looks at the sizes of all stored originals, or at their bytes; may bring back damaged ones. */
	reconcile: { readonly scrub?: boolean | undefined; readonly repair?: boolean | undefined };
	/** Looks for stored blobs that no row names; moves all of them to the trash where a person has said so. */
	"trash.collect": { readonly move: boolean };
	/** Copies the database, and the blobs that it names, into a folder. */
	"backup.make": {
		/** Nobody asked for it: when newer ones like it are there, it is removed. */
		readonly scheduled?: true;
	};
	/** Sends an endpoint what it did not get since then. */
	"webhook.recover": { readonly endpointId: string; readonly sinceMs: number };
	/** Goes on with what an operator, or an App's Owner, has ordered of the payment processor. */
	"billing.deed": {
		readonly subscriptionId: string;
		readonly deed: BillingDeed;
		readonly reason: string;
		/** The Owner of the App that sold it has ordered it. */
		readonly bySeller?: true;
		/** Who ordered it, and in which request. */
		readonly by: { readonly actor: string; readonly requestId: string | null };
	};
}

/** What is ordered of the payment processor. Amounts are in the smallest unit. */
export type BillingDeed =
	| { readonly kind: "cancel"; readonly at: "now" | "period_end" }
	| {
			readonly kind: "refund";
			readonly invoiceId: string;
			/** As the payer reads it. */
			readonly number: string;
			readonly amount: number;
			/** How much of the invoice was paid back when it was ordered. */
			readonly refundedBefore: number;
	  }
	| {
			readonly kind: "extend";
			/** Which end moves. */
			readonly end: "trial" | "term" | "grace";
			readonly untilMs: number;
	  };

export const JOB_KINDS = [
	"storage.empty",
	"account.delete",
	"account.export",
	"app.delete",
	"app_export",
	"image.process",
	"import",
	"image_job",
	"reconcile",
	"trash.collect",
	"backup.make",
	"webhook.recover",
	"billing.deed",
] as const satisfies readonly (keyof JobPayloads)[];
export type JobKind = (typeof JOB_KINDS)[number];

export interface NewJob<Kind extends JobKind = JobKind> {
	readonly id: string;
	readonly kind: Kind;
	readonly payload: JobPayloads[Kind];
	/** At most one queued or running job has it. */
	readonly dedupe: string | null;
	/** Id of the account that may watch it; null where only operators may. */
	readonly startedBy: string | null;
	readonly appPk: number | null;
}

export function newJob<Kind extends JobKind>(
	kind: Kind,
	payload: JobPayloads[Kind],
	facts: Partial<Pick<NewJob, "dedupe" | "startedBy" | "appPk">> = {},
): NewJob<Kind> {
	return { id: newId("job"), kind, payload, dedupe: null, startedBy: null, appPk: null, ...facts };
}

/** A job as its watchers see it. */
export interface Job {
	readonly pk: number;
	readonly id: string;
	readonly kind: JobKind;
	readonly state: JobState;
	readonly done: number;
	/** Null until it is known. */
	readonly total: number | null;
	readonly failure: string | null;
	readonly result: unknown;
	readonly startedBy: string | null;
	readonly appPk: number | null;
	readonly createdMs: number;
	readonly endedMs: number | null;
}

/** How long no other worker may take a job over; renewed by every step and by a beat. */
export const JOB_LEASE_MS = 60_000;

/** A worker's lease. Every write of a job carries it, so that a worker that lost it changes nothing any more. */
export interface JobLease {
	readonly jobId: string;
	/** Random, so that no two leases are equal. */
	readonly claim: string;
}

/** A job that a worker holds. */
export interface ClaimedJob<Kind extends JobKind = JobKind> {
	readonly id: string;
	readonly kind: Kind;
	readonly payload: JobPayloads[Kind];
	/** Tries since the job last made progress, this one included. */
	readonly attempts: number;
	/** The previous try was interrupted: its process died. */
	readonly cutOff: boolean;
	readonly lease: JobLease;
}

/** The argument of a handler. */
export interface JobRun<Kind extends JobKind = JobKind> {
	readonly job: ClaimedJob<Kind>;
	/** Called between two steps: requests are served, and a worker that has to stop does so here. @throws JobStopped */
	yieldToRequests(): Promise<void>;
}

/** What a handler resolves with where the end of its job brings further changes, which happen with it or not at all. */
export class JobEnd {
	readonly result: unknown;
	readonly steps: readonly Step[];

	constructor(result: unknown, steps: readonly Step[]) {
		this.result = result;
		this.steps = steps;
	}
}

/** One for each kind; what it resolves with is the job's result, as JSON, or a {@link JobEnd}. It may be called again at any point of its work. */
export type JobHandlers = { readonly [Kind in JobKind]: (run: JobRun<Kind>) => Promise<unknown> };

/** No fault: the worker has to stop, or another one holds the job by now. */
export class JobStopped extends Error {
	override readonly name = "JobStopped";
}

/** @throws JobStopped where the lease is lost */
export function requireLease<Refusal extends string>(
	refusal: Refusal | undefined,
): Exclude<Refusal, "lost"> | undefined {
	if (refusal === "lost") throw new JobStopped("another worker has this job");
	return refusal as Exclude<Refusal, "lost"> | undefined;
}
