import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Image } from "@svc/images/images";
import type { Images } from "@svc/images/room";
import type { Jobs } from "@svc/jobs/room";
import type { Account } from "@svc/people/people";
import type { People } from "@svc/people/room";
import { exportStore } from "./exports-store.ts";

export type Exports = ReturnType<typeof openExports>;

/** What the API says of an image and an account: what an export holds besides pictures. */
interface Documents {
	readonly image: (image: Image) => unknown;
	/** The members of the document of an account; those that may be long in parts. */
	readonly account: (account: Account) => Readonly<Record<string, unknown | AsyncIterable<unknown>>>;
}

interface LowerRooms {
	readonly jobs: Jobs;
	readonly images: Images;
	readonly people: People;
	readonly documents: Documents;
}

/** `reading`: how many files of each account this process makes at present. */
export function openExports(base: Base, database: Database, lower: LowerRooms) {
	return { ...base, ...lower, store: exportStore(database), reading: new Map<number, number>() };
}
