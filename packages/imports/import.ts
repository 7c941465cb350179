import type { Access } from "@svc/apps/access";
import type { ImportItemState, TICKET_MAKERS } from "@svc/base/enumerations";
import type { CreateFields } from "@svc/images/create/create-request";

/** An address, and the fields of the image that is to be made of it. */
export interface ImportRequest {
	readonly url: string;
	readonly fields: CreateFields;
}

export interface NewImport {
	readonly id: string;
	readonly appPk: number;
	readonly storagePk: number;
	/** The connected user, as the App knows them; null for the App's own storage. */
	readonly userId: string | null;
	/** Whose authority it has: the public id of a key, or of a session or token. */
	readonly maker: string;
	readonly makerKind: (typeof TICKET_MAKERS)[number];
	/** The request that made it. */
	readonly requestId: string | null;
	readonly createdMs: number;
}

export interface NewItem extends ImportRequest {
	readonly imageId: string;
}

export interface Import extends NewImport {
	readonly pk: number;
}

/** An import, and where its images go. */
export interface PlacedImport {
	readonly made: Import;
	readonly app: Access["app"];
	readonly storage: Access["storage"];
	/** Whether the user whose storage it is can be reached by the App; true where it is nobody's. */
	readonly isReachable: boolean;
}

export interface ImportItem {
	/** Falls as the place rises: lists begin with the highest. */
	readonly pk: number;
	/** Its place in the list, from 0. */
	readonly place: number;
	readonly url: string;
	readonly state: ImportItemState;
	/** Null unless it was created. */
	readonly imageId: string | null;
	/** The error object of an item that failed. */
	readonly error: Readonly<Record<string, unknown>> | null;
}
