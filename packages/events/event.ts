import type { EventType } from "@svc/base/enumerations";
import type { Kept } from "./snapshots-store.ts";

export interface Event {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	readonly userId: string | null;
	readonly type: EventType;
	/** The public id of the object. */
	readonly subject: string;
	/** Null since the user was erased. */
	readonly data: EventData | null;
	readonly requestId: string | null;
	readonly createdMs: number;
}

/** Whose events: all of an App's, or those about one of its users. */
export interface Feed {
	readonly appPk: number;
	readonly userId: string | undefined;
	/** Only about the object with this id. */
	readonly subject?: string | undefined;
}

export interface EventData {
	/** As the change left it, for `readSnapshot`; empty where it is gone. */
	readonly object: Kept;
	/** The former values of what changed. */
	readonly previous?: Kept | null;
	/** Why it was locked or blocked. */
	readonly reason?: string | null;
	/** What is served today, and on other days. */
	readonly usage?: Kept;
}
