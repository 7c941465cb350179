import { randomBase62 } from "@svc/base/ids";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
	/** Takes a reader on behind this line. */
	readonly cursor: string;
	readonly atMs: number;
	readonly level: LogLevel;
	readonly message: string;
	readonly facts: Readonly<Record<string, unknown>>;
}

interface KeptLine extends Omit<LogLine, "cursor" | "facts"> {
	/** As JSON, so that nothing that was logged is kept alive by its line. */
	readonly facts: string;
}

interface LogPage {
	readonly lines: readonly LogLine[];
	readonly hasMore: boolean;
	/** Behind all that was looked at, also lines that do not fit; null before anything was logged. */
	readonly latest: string | null;
}

const MOST_LINES = 1_000;
const MOST_LETTERS = 4_000;

/** The last lines that this process logged, in its memory: a bounded number of bounded length. */
export class RecentLog {
	readonly #process = randomBase62(8);
	readonly #lines: KeptLine[] = [];
	#count = 0;

	/** `facts` hold no secrets by now. */
	keep({ facts, ...line }: Omit<LogLine, "cursor">): void {
		const text = JSON.stringify(facts);
		const kept = text.length > MOST_LETTERS ? JSON.stringify({ cut: text.slice(0, MOST_LETTERS) }) : text;
		this.#lines[this.#count % MOST_LINES] = { ...line, message: line.message.slice(0, MOST_LETTERS), facts: kept };
		this.#count++;
	}

	/**
	 * Lines of at least a level, oldest first: those behind a cursor, or the last ones. A cursor of another process, or of a line that is not kept
	 * any more, means all that are.
	 */
	read(after: string | undefined, least: LogLevel, limit: number): LogPage {
		const wanted = LOG_LEVELS.slice(LOG_LEVELS.indexOf(least));
		const fitting: LogLine[] = [];
		for (let at = this.#behind(after); at < this.#count; at++) {
			const line = this.#lines[at % MOST_LINES];
			if (line !== undefined && wanted.includes(line.level))
				fitting.push({ ...line, cursor: `${this.#process}.${at}`, facts: JSON.parse(line.facts) });
		}
		const lines = after === undefined ? fitting.slice(-limit) : fitting.slice(0, limit);
		const hasMore = after !== undefined && fitting.length > limit;
		const newest = this.#count === 0 ? null : `${this.#process}.${this.#count - 1}`;
		return { lines, hasMore, latest: hasMore ? (lines.at(-1)?.cursor ?? newest) : newest };
	}

	/** The number of the first line behind a cursor. */
	#behind(after: string | undefined): number {
		const oldest = Math.max(0, this.#count - MOST_LINES);
		const [process, number = ""] = after?.split(".") ?? [];
		if (process !== this.#process || !/^\d{1,15}$/.test(number)) return oldest;
		return Math.min(this.#count, Math.max(oldest, Number(number) + 1));
	}
}
