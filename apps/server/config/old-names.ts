import { parsePurgeUrl } from "@svc/purging/target";
import { BUCKET_NAME, parseS3Place, parseS3Url, s3Url } from "@svc/storage/s3/place";
import { parseTuning, TUNING, TUNING_OPTIONS, type TuningOption, tuned } from "./tuning.ts";
import type { Environment } from "./variables.ts";

/* Names of settings that earlier releases had. They go on working; a start that finds one says what it is called now. */

interface OldName {
	readonly old: readonly string[];
	/** What holds the value now. */
	readonly name: string;
	/** The same, as somebody writes it. */
	readonly now: string;
	/** The value that the old ones give, or undefined where they give none; what is set already counts where they say nothing of it. */
	readonly value: (env: Environment) => string | undefined;
}

/** Old values of a variable that has kept its name: they say nothing without the old variables beside them. */
const OLD_WORDS: Readonly<Record<string, readonly string[]>> = {
	SVC_STORAGE: ["s3"],
	SVC_PURGE: ["cloudflare", "fastly", "http"],
};

/** What was chosen by a word of its own is chosen by what it needs. */
const CHOICES = [
	{ old: "SVC_MAIL", chosen: "smtp", other: "outbox", by: "SVC_SMTP_URL" },
	{ old: "SVC_PROCESSOR", chosen: "stripe", other: "simulated", by: "SVC_STRIPE_SECRET_KEY" },
] as const;

/** Options that never were a variable. */
const NEW_OPTIONS: ReadonlySet<string> = new Set(["small_max_bytes", "compact_after"] satisfies TuningOption[]);

const RENAMED = [
	["SVC_S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"],
	["SVC_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"],
	["SVC_BACKUP_S3_ACCESS_KEY_ID", "AWS_BACKUP_ACCESS_KEY_ID"],
	["SVC_BACKUP_S3_SECRET_ACCESS_KEY", "AWS_BACKUP_SECRET_ACCESS_KEY"],
] as const;

const OLD_NAMES: readonly OldName[] = [
	{
		old: ["SVC_S3_ENDPOINT", "SVC_S3_BUCKET", "SVC_S3_REGION"],
		name: "SVC_STORAGE",
		now: "SVC_STORAGE=s3://host/bucket?region=…",
		value: storageOf,
	},
	{
		old: ["SVC_BACKUP_S3_ENDPOINT", "SVC_BACKUP_S3_REGION"],
		name: "SVC_BACKUP_TO",
		now: "SVC_BACKUP_TO=s3://host/bucket/folder?region=…",
		value: backupToOf,
	},
	{
		old: ["SVC_PURGE_URL", "SVC_PURGE_METHOD"],
		name: "SVC_PURGE",
		now: "SVC_PURGE=cloudflare://zone, fastly://service, http://… or a method before it, as purge+http://…",
		value: purgeOf,
	},
	...RENAMED.map(([old, name]) => ({ old: [old], name, now: name, value: (env: Environment) => env[old] })),
	...TUNING_OPTIONS.filter(([option]) => !NEW_OPTIONS.has(option)).map(([option]) => {
		const old = `SVC_${option.toUpperCase()}`;
		return { old: [old], name: tuned(option), now: `${TUNING}=${option}=…`, value: (env: Environment) => env[old] };
	}),
];

/** Each old name with what takes its place, for the documentation. */
export const OLD_SETTINGS: readonly (readonly [old: string, now: string])[] = [
	...CHOICES.map(({ old, by }) => [old, `${by}, set or not`] as const),
	...OLD_NAMES.flatMap(({ old, now }) => old.map((name) => [name, now] as const)),
];

interface Settled {
	/** Under the names of today alone. */
	readonly env: Environment;
	/** What is wrong already, for people. */
	readonly faults: readonly string[];
	/** Which old names are set, and what they are called now; no values. */
	readonly oldNames: readonly string[];
}

/** The environment under the names of today. Pure. */
export function settle(sent: Environment): Settled {
	const tuning = parseTuning(sent[TUNING] ?? "");
	const given: Environment = { ...sent, ...tuning.values };
	const found = [...OLD_NAMES.map((one) => renamed(one, given)), ...CHOICES.map((one) => chosen(one, given))];
	const env: Environment = Object.assign({}, given, ...found.map((one) => one.env));
	return {
		env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
		faults: [...tuning.faults, ...found.flatMap(({ faults }) => faults)],
		oldNames: found.flatMap(({ oldNames }) => oldNames),
	};
}

/** What one old name changes. */
function renamed(one: OldName, given: Environment): Settled {
	const { old, name, now } = one;
	const set = old.filter((variable) => given[variable]);
	const gone = Object.fromEntries(old.map((variable) => [variable, undefined]));
	const oldNames = set.length > 0 ? [`${set.join(", ")} is now ${now}`] : [];
	const value = one.value(given);
	if (!value) return { env: gone, faults: [], oldNames };
	const isOther = isSaid(name, given[name]) && canonical(given[name] ?? "") !== canonical(value);
	return isOther
		? { env: gone, faults: [both(set, name)], oldNames }
		: { env: { ...gone, [name]: value }, faults: [], oldNames };
}

function chosen({ old, chosen: on, other, by }: (typeof CHOICES)[number], given: Environment): Settled {
	const word = given[old];
	const gone = { [old]: undefined };
	if (!word) return { env: gone, faults: [], oldNames: [] };
	const oldNames = [`${old} is now said by ${by}, set or not`];
	if (word === other) return { env: { ...gone, [by]: undefined }, faults: [], oldNames };
	const unknown = `${old} is no name any more, and took ${on} or ${other}: set ${by}, or do not`;
	const missing = given[by] ? [] : [`${by} is not set, which ${old}=${on} needs`];
	return { env: gone, faults: word === on ? missing : [unknown], oldNames };
}

/** Old words, and an old form, say nothing by themselves. */
function isSaid(name: string, current: string | undefined): boolean {
	if (!current || OLD_WORDS[name]?.includes(current)) return false;
	return name !== "SVC_BACKUP_TO" || current.includes("?");
}

function both(old: readonly string[], name: string): string {
	return `${old.join(", ")} (old) and ${name} are both set, and differ: take ${old.join(", ")} away`;
}

/** One text for all that mean the same. */
function canonical(text: string): string {
	const place = parseS3Url(text);
	if (place) return s3Url(place);
	const purge = parsePurgeUrl(text);
	return purge ? JSON.stringify(purge) : text;
}

function storageOf(env: Environment): string | undefined {
	const { SVC_STORAGE = "", SVC_S3_ENDPOINT, SVC_S3_BUCKET, SVC_S3_REGION } = env;
	if (!SVC_S3_ENDPOINT && !SVC_S3_BUCKET && !SVC_S3_REGION) return undefined;
	const now = parseS3Url(SVC_STORAGE);
	if (!now && SVC_STORAGE !== "s3") return undefined;
	const bucket = SVC_S3_BUCKET || now?.bucket;
	// Any text in it would be part of the URL.
	if (bucket === undefined || !BUCKET_NAME.test(bucket)) return undefined;
	return urlFrom(SVC_S3_ENDPOINT || now?.endpoint, SVC_S3_REGION || now?.region, bucket);
}

/** The old form names bucket and folder alone, and is told from the new one by the old variables beside it. */
function backupToOf(env: Environment): string | undefined {
	const to = env.SVC_BACKUP_TO ?? "";
	const [endpoint, region] = env.SVC_BACKUP_S3_ENDPOINT
		? [env.SVC_BACKUP_S3_ENDPOINT, env.SVC_BACKUP_S3_REGION]
		: [env.SVC_S3_ENDPOINT, env.SVC_BACKUP_S3_REGION || env.SVC_S3_REGION];
	if (!endpoint) return undefined;
	if (to.includes("?")) {
		const now = parseS3Url(to);
		return now && env.SVC_BACKUP_S3_ENDPOINT ? urlFrom(endpoint, region || now.region, pathOf(now)) : undefined;
	}
	const place = parseS3Place(to);
	return place && urlFrom(endpoint, region, pathOf(place));
}

function pathOf({ bucket, path }: { readonly bucket: string; readonly path: string }): string {
	return path === "" ? bucket : `${bucket}/${path}`;
}

function urlFrom(endpoint: string | undefined, region: string | undefined, path: string): string | undefined {
	const [, scheme, authority] = /^(https?):\/\/([^/?#]+)\/?$/.exec(endpoint ?? "") ?? [];
	if (!region || authority === undefined) return undefined;
	const text = `s3://${authority}/${path}?region=${encodeURIComponent(region)}${scheme === "http" ? "&tls=off" : ""}`;
	return canonical(text);
}

function purgeOf({ SVC_PURGE = "", SVC_PURGE_URL = "", SVC_PURGE_METHOD = "" }: Environment): string | undefined {
	if (SVC_PURGE === "" || SVC_PURGE === "off" || SVC_PURGE_URL === "") return undefined;
	const { kind = SVC_PURGE, method = "POST" } = parsePurgeUrl(SVC_PURGE) ?? {};
	const word = kind === "http" ? (SVC_PURGE_METHOD || method).toLowerCase() : kind;
	return word === "post" ? SVC_PURGE_URL : `${word}+${SVC_PURGE_URL}`;
}
