/* What an App's team sees of its use, besides the counters that a key sees. */

/** One storage of an App. */
export interface UserUsage {
	/** The storage's. */
	readonly pk: number;
	/** Null: the App storage. */
	readonly userId: string | null;
	readonly images: number;
	readonly bytes: number;
	/** In the current month. */
	readonly uploads: number;
}

export interface MonthUploads {
	/** Months since year 0, so that months have an order. */
	readonly pk: number;
	/** UTC, as `2026-11`. */
	readonly month: string;
	readonly uploads: number;
}

export function monthNumber(month: string): number {
	const [year, number] = month.split("-").map(Number);
	return (year ?? 0) * 12 + (number ?? 1) - 1;
}

/** The opposite of {@link monthNumber}. */
export function monthText(number: number): string {
	return `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`;
}

/** How often a label is there; counted only so far. */
export interface LabelCount {
	readonly key: string;
	readonly value: string;
	readonly count: number;
}

/** Up to here labels are listed, and the images of each counted. */
export const LABELS_MAX = 1_000;
