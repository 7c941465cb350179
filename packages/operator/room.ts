import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { BackupFolders, Snapshots } from "@svc/base/ports";
import type { Billing } from "@svc/billing/room";
import type { FleetProcess } from "@svc/fleet/processes-store";
import type { Images } from "@svc/images/room";
import type { Jobs } from "@svc/jobs/room";
import type { People } from "@svc/people/room";
import { operatorAccountStore, operatorStore } from "./accounts/operator-accounts-store.ts";
import { operatorAppStore } from "./accounts/operator-apps-store.ts";
import { operatorAudit } from "./audit-store.ts";
import { partHealthStore } from "./part-health-store.ts";
import type { RecentLog } from "./recent-log.ts";
import { totalsStore } from "./service-totals-store.ts";
import { setupStore } from "./setup-store.ts";

export type Operator = ReturnType<typeof openOperator>;

interface OperatorParts {
	readonly jobs: Jobs;
	readonly people: People;
	readonly images: Images;
	readonly billing: Billing;
	/** Undefined where the database is on a server, which has its own backups. */
	readonly snapshots: Snapshots | undefined;
	readonly backupFolders: BackupFolders;
	/** Undefined: backups are made only when somebody asks. */
	readonly backupSchedule: BackupSchedule | undefined;
	/** Undefined: bootstrapping over the API is off. */
	readonly bootstrapSecret: string | undefined;
	readonly instance: Instance;
}

export interface BackupSchedule {
	readonly everyMs: number;
	/** How many backups made by it stay. */
	readonly keep: number;
}

/** Facts about this process. */
export interface Instance {
	/** The version of the service's own code. */
	readonly version: string;
	readonly startedMs: number;
	readonly database: "file" | "remote";
	/** All that serve the database and are not known to be dead. */
	readonly processes: () => Promise<readonly FleetProcess[]>;
	readonly recentLog: RecentLog;
	/** How many uploads and renders are queued in this process. */
	readonly waiting: () => { readonly uploads: number; readonly renders: number };
}

export function openOperator(base: Base, database: Database, parts: OperatorParts) {
	return {
		...base,
		...parts,
		operators: operatorStore(database),
		accounts: operatorAccountStore(database),
		apps: operatorAppStore(database),
		partHealth: partHealthStore(database),
		totals: totalsStore(database),
		setup: setupStore(database),
		audit: operatorAudit(database),
	};
}
