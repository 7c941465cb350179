import type { ApiRooms } from "@svc/api/kit/rooms";
import type { Database } from "@svc/base/database/client";
import type { Swept } from "@svc/erasure/sweep";
import type { Drift } from "@svc/images/usage/recount-store";
import type { Version } from "@svc/versions/version";
import type { dispatcher, Sites } from "../door/listen.ts";
import type { Probes } from "../door/probes.ts";

/** All that a program or a test wants of a service that is open. */
export interface Service {
	/** Answers a request at whichever of the three addresses its Host names. */
	readonly handle: ReturnType<typeof dispatcher>;
	/** Answers at the address that is for metrics alone. */
	readonly handleMetrics: Probes["atMetrics"];
	readonly sites: Sites;
	/** The rooms as the faces get them. */
	readonly rooms: ApiRooms;
	/** The interface version that it serves. */
	readonly version: Version;
	readonly database: Database;
	sweep(): Promise<
		Swept & {
			/** Blobs that went to the trash, since no row named them. */ readonly orphans: number /** Blobs that had lain there for 30 days. */;
			readonly trash: number;
		}
	>;
	/** Removes what this process's machine has of uploads that came to nothing. */
	sweepStaged(): Promise<number>;
	/** Tells the other processes of the database that this one lives, and hears what is new; to be called every {@link BEAT_MS}. */
	beat(): Promise<void>;
	/** Looks for the records of image hosts that were last looked for a day ago; returns how many those were. */
	lookAtImageHosts(): Promise<number>;
	/** Drops the renditions here of all images that are gone or blocked; returns of how many. */
	compareRenditions(): Promise<number>;
	/** Whether this process does what needs doing once for all of them. */
	leads(): boolean;
	/** Sets room aside for the day when the disk is full. */
	renewBallast(): Promise<void>;
	/** Writes what this process has served since the last time. */
	writeUsage(): Promise<void>;
	/** Sends the mail that is due, if it is sent at all; returns how many mails were. */
	sendMail(): Promise<number>;
	/** Notes how the parts are that operators hear of when they fail, and writes the letters that are due. */
	watchParts(): Promise<void>;
	/** Asks a database server again how it keeps a commit. */
	lookAtDatabase(): Promise<void>;
	/** Starts the processes that open pictures ahead of the first picture, and again whenever one is lost. */
	startWorkers(): void;
	/** Starts to work off the jobs that are due, in the background. */
	startJobs(): void;
	/** Runs the work that is due by time: renewals, ends of grace, deliveries that were interrupted. */
	catchUpBilling(): Promise<void>;
	/** Tells the caches in front what they must forget. */
	sendPurges(): Promise<void>;
	/** Begins to show the judge of pictures what has come, where there is one. */
	lookForScans(): Promise<void>;
	/** The same until nothing is due. */
	sendScans(): Promise<void>;
	/** Makes the deliveries that the feeds ask for, and begins to send what is due. */
	lookForWebhooks(): Promise<void>;
	/** The same until nothing is due or on its way. */
	sendWebhooks(): Promise<void>;
	/** Seals what is to be sealed by now with the secret of the deployment. */
	careForSecret(): Promise<void>;
	/** Compares the pictures that wait for it with those that were blocked. */
	judgePictures(): Promise<void>;
	/** The same where it is this process's turn: what other processes have left, and pictures of long ago. */
	judgeWhenDue(): Promise<void>;
	/** Deletes what has expired, and writes the words of images that an earlier release wrote. */
	expire(): Promise<void>;
	/** Works off all jobs that are due now; returns how many there were. */
	runJobs(): Promise<number>;
	/** Tells other services that the store of pictures is still this one's. */
	renewOwnership(): Promise<void>;
	/** Counts every storage and App again; what differed has been corrected. */
	recount(): Promise<readonly Drift[]>;
	/** The same where it is this process's turn: once a day, and at the start of a process that is the only one. */
	recountWhenDue(): Promise<readonly Drift[]>;
	/** Reads the stored originals that are due to be read; returns how many there were. */
	scrub(): Promise<number>;
	/** Starts a backup when the schedule has one due. */
	backUpWhenDue(): Promise<void>;
	/** Reports not ready from now on, so that a load balancer looks elsewhere; starts no new mail and no step of a job. */
	drain(): void;
	close(): Promise<void>;
}
