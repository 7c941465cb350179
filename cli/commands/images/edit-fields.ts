import type { ImageChanges, StringMapChange } from "@svc/sdk/client";
import { UsageError } from "../../exit.ts";
import { readPairs } from "./create-fields.ts";

/** What an image can be given anew. */
export const EDIT_ARGS = {
	caption: { type: "string", valueHint: "text", description: "Caption; --caption= clears it" },
	ttl: { type: "string", valueHint: "7d", description: "Delete it after this time from now, 5m to 90d; or never" },
	"published-at": { type: "string", valueHint: "date", description: "ISO 8601 or unix seconds" },
	label: { type: "string", valueHint: "key=value", description: "Set a label; key= removes it" },
	metadata: { type: "string", valueHint: "key=value", description: "Set attribution; key= removes it" },
	"if-label": { type: "string", valueHint: "key=value", description: "Change nothing unless it has this label" },
	public: { type: "boolean", description: "Let everybody see it; older interfaces only" },
	private: { type: "boolean", description: "The contrary" },
} as const;

interface Args {
	readonly caption?: string | undefined;
	readonly ttl?: string | undefined;
	readonly "published-at"?: string | undefined;
	readonly public?: boolean | undefined;
	readonly private?: boolean | undefined;
}

function readChange(flag: string, pairs: readonly string[]): StringMapChange | undefined {
	const map = readPairs(flag, pairs);
	return map && Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value === "" ? null : value]));
}

function readVisibility(args: Args): boolean | undefined {
	if (args.public && args.private) throw new UsageError("--public and --private exclude each other.");
	return args.public === true || (args.private === true ? false : undefined);
}

/** @throws UsageError where nothing would change */
export function readChanges(args: Args, all: (flag: string) => readonly string[]): ImageChanges {
	const changes: ImageChanges = {
		caption: args.caption,
		ttl: args.ttl === "never" ? null : args.ttl,
		publishedAt: args["published-at"],
		labels: readChange("label", all("label")),
		metadata: readChange("metadata", all("metadata")),
		public: readVisibility(args),
	};
	if (Object.values(changes).every((value) => value === undefined)) {
		throw new UsageError("Nothing to change was given.", "svc images edit --help");
	}
	return { ...changes, ifLabels: readPairs("if-label", all("if-label")) };
}
