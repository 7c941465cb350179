import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { folderLabel } from "../fitting.ts";
import { anyJsonFrom, entriesIn, isRecord, type JsonAnswer, jsonFrom, textIn } from "./json-answers.ts";
import { noPictureByName } from "./names.ts";
import type { FoundImage, ImageSource, SourceOptions } from "./source.ts";
import { fileFrom, type SourcePlace, unlike } from "./source-calls.ts";

/* A bucket of Supabase Storage, folder by folder. What is in a public one the service fetches itself; the rest comes through here. */

const KEYS = "SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY (or SUPABASE_SECRET_KEY)";
const PAGE = 1_000;
/** Its paths are no longer. */
const PATH_MAX = 1_024;
/** What its dashboard puts into a folder that holds nothing. */
const PLACEHOLDER = ".emptyFolderPlaceholder";

interface Bucket extends SourcePlace {
	readonly name: string;
	/** Of its storage. */
	readonly api: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** @throws UsageError, LocalError */
export function openSupabase(options: SourceOptions): ImageSource {
	const { from, prefix: more = "" } = options;
	const [, name, path = ""] = /^supabase:(?:\/\/)?([^/]+)\/?(.*)$/s.exec(from) ?? [];
	if (name === undefined) throw new UsageError(`"${from}" names no bucket.`, "svc migrate supabase:avatars");
	const bucket = bucketOf(name, options);
	const prefix = path + more;
	return {
		name: `supabase:${name}`,
		place: bucket.api,
		async *list(signal) {
			const { public: isPublic } = await jsonFrom(
				bucket,
				() => ask(bucket, `bucket/${encodeURIComponent(name)}`),
				signal,
			);
			let line = 0;
			for await (const file of files(bucket, prefix.split("/").slice(0, -1).join("/"), signal)) {
				if (file.path.startsWith(prefix)) yield listed(bucket, isPublic === true, file, ++line);
			}
		},
	};
}

function bucketOf(name: string, { env, fetch, tell }: SourceOptions): Bucket {
	const [address, key] = [
		env.SUPABASE_URL?.trim() ?? "",
		(env.SUPABASE_SERVICE_ROLE_KEY || env.SUPABASE_SECRET_KEY)?.trim() ?? "",
	];
	if (key === "" || !URL.canParse(address)) {
		throw new LocalError(`The key of Supabase is missing: set ${KEYS}.`, undefined, EXIT.auth);
	}
	return {
		...{ title: "Supabase", keys: KEYS, secrets: [key], fetch, tell, name },
		...{ api: `${address.replace(/\/+$/, "")}/storage/v1`, headers: { authorization: `Bearer ${key}`, apikey: key } },
	};
}

function ask({ api, headers }: Bucket, path: string, body?: object) {
	const url = `${api}/${path}`;
	if (body === undefined) return { url, headers };
	const json = { ...headers, "content-type": "application/json" };
	return { url, headers: json, method: "POST" as const, body: JSON.stringify(body) };
}

interface File {
	readonly path: string;
	readonly entry: JsonAnswer;
}

/** Of a folder and all below it. An entry without an id is a folder. */
async function* files(bucket: Bucket, folder: string, signal: AbortSignal): AsyncGenerator<File> {
	for await (const entry of entries(bucket, folder, signal)) {
		const name = textIn(entry.name);
		if (name === undefined || name === PLACEHOLDER) continue;
		const path = folder === "" ? name : `${folder}/${name}`;
		// A folder that holds itself would never end.
		if (path.length > PATH_MAX) throw unlike(bucket);
		if (textIn(entry.id) === undefined) yield* files(bucket, path, signal);
		else yield { path, entry };
	}
}

/** Until a page is empty: a server may give fewer than it is asked for. */
async function* entries(bucket: Bucket, folder: string, signal: AbortSignal): AsyncGenerator<JsonAnswer> {
	let first: unknown;
	for (let offset = 0; ; ) {
		const body = { prefix: folder, limit: PAGE, offset, sortBy: { column: "name", order: "asc" } };
		const path = `object/list/${encodeURIComponent(bucket.name)}`;
		const page = entriesIn(bucket, await anyJsonFrom(bucket, () => ask(bucket, path, body), signal));
		if (page.length === 0) return;
		// The same page again and again would never end.
		if (offset > 0 && page[0]?.name === first) throw unlike(bucket);
		first = page[0]?.name;
		yield* page;
		offset += page.length;
	}
}

function listed(bucket: Bucket, isPublic: boolean, { path, entry }: File, line: number): FoundImage {
	const metadata = isRecord(entry.metadata) ? entry.metadata : {};
	const below = [bucket.name, ...path.split("/")].map(encodeURIComponent).join("/");
	const address = isPublic ? `${bucket.api}/object/public/${below}` : `supabase://${bucket.name}/${path}`;
	const why = notByType(textIn(metadata.mimetype)) ?? noPictureByName(path);
	if (why !== undefined) return { line, address, why, isNoPicture: true };
	return {
		line,
		address,
		name: path,
		version: [textIn(metadata.eTag), metadata.size, textIn(entry.updated_at)].join(" "),
		filename: path.split("/").at(-1),
		fields: { date: textIn(entry.created_at), labels: folderLabel(path), metadata: {} },
		...(!isPublic && {
			download: async (signal) => await fileFrom(bucket, () => ask(bucket, `object/authenticated/${below}`), signal),
		}),
	};
}

function notByType(type: string | undefined): string | undefined {
	const isPicture = type === undefined || type.startsWith("image/") || type === "application/octet-stream";
	return isPicture ? undefined : `Supabase says that it is ${type}.`;
}
