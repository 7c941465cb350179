import type { Came } from "@svc/migrate/came-file";
import type { Missing } from "@svc/migrate/missing-file";
import type { Context } from "../../kit/command.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { openStatusLine } from "../../kit/work/progress.ts";

/** How many. */
export interface Counts {
	readonly came: number;
	readonly there: number;
	readonly failed: number;
	readonly no_picture: number;
	readonly in_part: number;
}

export const SUMMARY_COLUMNS: readonly Column<Counts>[] = [
	...fields("came", "there", "failed", "no_picture", "in_part"),
];

const NUMBERS = new Intl.NumberFormat("en");

export interface Tally {
	readonly counts: Counts;
	count(came: readonly Came[], missing: readonly Missing[]): void;
	/** Tells how far an import is; 0 when it is over. */
	progress(job: string, done: number): Promise<void>;
	show(): Promise<void>;
	clear(): Promise<void>;
}

/** Counts, and shows it where a person watches. */
export function openTally(context: Context): Tally {
	const line = openStatusLine(context);
	const counts = { came: 0, there: 0, failed: 0, no_picture: 0, in_part: 0 };
	const running = new Map<string, number>();
	const show = () => line.show(textOf(counts, running.values()));
	return {
		counts,
		count(came, missing) {
			for (const { state } of came) counts[state]++;
			for (const { state } of missing) counts[state]++;
		},
		async progress(job, done) {
			if (done === 0) running.delete(job);
			else running.set(job, done);
			await show();
		},
		show,
		clear: line.clear,
	};
}

function textOf({ came, there, failed }: Counts, running: Iterable<number>): string {
	const underWay = [...running].reduce((sum, done) => sum + done, 0);
	const parts = [
		`${NUMBERS.format(came + underWay)} came`,
		there > 0 ? `${NUMBERS.format(there)} were there` : "",
		failed > 0 ? `${NUMBERS.format(failed)} did not come` : "",
	];
	return parts.filter((part) => part !== "").join(" · ");
}
