import { UsageError } from "@svc/base/processes/exit";
import * as takes from "../../kit/line/takes.ts";
import { checkDate, checkDuration } from "../../kit/line/times.ts";

export const VISIBILITY_ARGS = {
	public: takes.flag("Let everybody see it; older interfaces only"),
	private: takes.flag("The contrary"),
} as const;

/** The fields of a new image; the same for files and addresses. */
export const CREATE_ARGS = {
	caption: takes.text("Caption, at most 5,000 characters", "text"),
	ttl: takes.text("Delete it after this time, 5m to 90d", "7d"),
	"published-at": takes.text("ISO 8601 or unix seconds; default: now", "date"),
	label: takes.text("Label to find it by", "key=value"),
	metadata: takes.text("Attribution", "key=value"),
	"external-id": takes.text("Your own name for it, unique in the storage", "text"),
	...VISIBILITY_ARGS,
} as const;

interface Visibility {
	readonly public?: boolean | undefined;
	readonly private?: boolean | undefined;
}

/** Undefined: as the service does by itself. @throws UsageError for both at once */
export function readVisibility(args: Visibility): boolean | undefined {
	if (args.public && args.private) throw new UsageError("--public and --private exclude each other.");
	return args.public === true || (args.private === true ? false : undefined);
}

export const CREATE_REPEATABLE = ["label", "metadata"] as const;

export interface CreateFields {
	readonly caption: string | undefined;
	readonly ttl: string | undefined;
	readonly publishedAt: string | undefined;
	readonly labels: Readonly<Record<string, string>> | undefined;
	readonly metadata: Readonly<Record<string, string>> | undefined;
	readonly externalId: string | undefined;
	readonly public: boolean | undefined;
}

interface Texts extends Visibility {
	readonly caption?: string | undefined;
	readonly ttl?: string | undefined;
	readonly "published-at"?: string | undefined;
	readonly "external-id"?: string | undefined;
}

/** @throws UsageError for a pair without `=`, and for a key that is given twice. */
export function readPairs(flag: string, pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
	const map = new Map<string, string>();
	for (const pair of pairs) {
		const at = pair.indexOf("=");
		if (at < 1) throw new UsageError(`--${flag} takes key=value; not "${pair}".`);
		const key = pair.slice(0, at);
		if (map.has(key)) throw new UsageError(`--${flag} ${key} is given twice.`);
		map.set(key, pair.slice(at + 1));
	}
	return map.size === 0 ? undefined : Object.fromEntries(map);
}

const TTL = { minSeconds: 300, maxSeconds: 90 * 86_400, takes: "a time from 5m to 90d, such as 24h, or never" };

/** @throws UsageError for what is no time to live */
export function readTtl(sent: string | undefined): string | undefined {
	return sent === "never" ? sent : checkDuration("--ttl", sent, TTL);
}

export function readCreateFields(args: Texts, all: (flag: string) => readonly string[]): CreateFields {
	return {
		caption: args.caption,
		ttl: readTtl(args.ttl),
		publishedAt: checkDate("--published-at", args["published-at"]),
		labels: readPairs("label", all("label")),
		metadata: readPairs("metadata", all("metadata")),
		externalId: args["external-id"],
		public: readVisibility(args),
	};
}
