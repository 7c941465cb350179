import type { BlockReason, Locale, ReportOutcome, ReportSource } from "@svc/base/enumerations";

/** A report about an image, from the public or of the service itself. */
export interface Report {
	readonly pk: number;
	readonly id: string;
	readonly imageId: string;
	/** Null once the App is gone. */
	readonly appId: string | null;
	readonly reason: BlockReason;
	readonly note: string | null;
	readonly email: string | null;
	readonly source: ReportSource;
	readonly outcome: ReportOutcome | null;
	readonly resolvedMs: number | null;
	/** Account id of the operator. */
	readonly resolvedBy: string | null;
	readonly createdMs: number;
}

export interface NewReport extends Pick<Report, "id" | "imageId" | "reason" | "note" | "email"> {
	/** Where the address names a storage, the image must lie in it. */
	readonly teamHash: string | null;
	readonly addressMac: Uint8Array<ArrayBuffer>;
	/** The language of the page on which it was written; null where that is not known. */
	readonly locale: Locale | null;
}
