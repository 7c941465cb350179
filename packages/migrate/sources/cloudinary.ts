import { createHash } from "node:crypto";
import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { folderLabel, tagLabels } from "../fitting.ts";
import { addressIn, entriesIn, isRecord, type JsonAnswer, jsonFrom, pairsIn, textIn, textsIn } from "./json-answers.ts";
import { noPictureByName } from "./names.ts";
import type { FoundImage, ImageSource, PictureFields, SourceOptions } from "./source.ts";
import { fileFrom, type SourcePlace, unlike } from "./source-calls.ts";

/* The images of a Cloudinary account, by its Admin API. What everybody may see the service fetches itself; the rest comes through here. */

const KEYS = "CLOUDINARY_URL, as cloudinary://<api key>:<api secret>@<cloud name>";
const API = "https://api.cloudinary.com";
/** How images are delivered that were uploaded; all others were fetched from somewhere else. */
const TYPES = ["upload", "private", "authenticated"];
const PAGE = 500;

interface Cloud extends SourcePlace {
	readonly api: string;
	readonly name: string;
	readonly key: string;
	readonly secret: string;
}

/** @throws LocalError */
export function openCloudinary(options: SourceOptions): ImageSource {
	const { prefix } = options;
	const cloud = cloudOf(options);
	return {
		name: "cloudinary",
		async *list(signal) {
			let line = 0;
			for (const type of TYPES) {
				for await (const resource of resources(cloud, type, prefix, signal))
					yield listed(cloud, type, resource, ++line);
			}
		},
	};
}

function cloudOf({ env, endpoint = API, fetch, tell }: SourceOptions): Cloud {
	const address = env.CLOUDINARY_URL;
	const url = URL.canParse(address ?? "") ? new URL(address ?? "") : undefined;
	const [key, secret] = [decodeURIComponent(url?.username ?? ""), decodeURIComponent(url?.password ?? "")];
	if (url?.protocol !== "cloudinary:" || key === "" || secret === "" || url.hostname === "") {
		throw new LocalError(`The key of Cloudinary is missing: set ${KEYS}.`, undefined, EXIT.auth);
	}
	if (!URL.canParse(endpoint)) throw new UsageError(`"${endpoint}" is no address.`);
	const basic = Buffer.from(`${key}:${secret}`).toString("base64");
	return {
		...{ title: "Cloudinary", keys: KEYS, secrets: [basic, secret, key], fetch, tell },
		...{
			api: `${endpoint.replace(/\/+$/, "")}/v1_1/${encodeURIComponent(url.hostname)}`,
			name: url.hostname,
			key,
			secret,
		},
	};
}

async function* resources(
	cloud: Cloud,
	type: string,
	prefix: string | undefined,
	signal: AbortSignal,
): AsyncGenerator<JsonAnswer> {
	for (let cursor: string | undefined; ; ) {
		const query = new URLSearchParams({ max_results: String(PAGE), tags: "true", context: "true", metadata: "true" });
		// By date, so that what is added meanwhile comes last.
		query.set("direction", "asc");
		if (prefix !== undefined) query.set("prefix", prefix);
		if (cursor !== undefined) query.set("next_cursor", cursor);
		const url = `${cloud.api}/resources/image/${type}?${query}`;
		const authorization = `Basic ${Buffer.from(`${cloud.key}:${cloud.secret}`).toString("base64")}`;
		const page = await jsonFrom(cloud, () => ({ url, headers: { authorization } }), signal);
		yield* entriesIn(cloud, page.resources);
		const next = textIn(page.next_cursor);
		if (next === undefined) return;
		if (next === cursor) throw unlike(cloud);
		cursor = next;
	}
}

function listed(cloud: Cloud, type: string, resource: JsonAnswer, line: number): FoundImage {
	const [id, format] = [textIn(resource.public_id), textIn(resource.format)];
	const address = addressIn(resource.secure_url) ?? addressIn(resource.url);
	if (id === undefined || address === undefined) {
		return { line, address: id ?? "", why: "Cloudinary names no address of it.", isNoPicture: false };
	}
	const file = format === undefined ? id : `${id}.${format}`;
	const why = noPictureByName(`x.${format ?? "jpg"}`);
	if (why !== undefined) return { line, address: unsigned(address), why, isNoPicture: true };
	const isOpen =
		type === "upload" && resource.access_mode !== "authenticated" && !isRestricted(resource.access_control);
	return {
		line,
		address: unsigned(address),
		name: id,
		version: String(resource.version ?? ""),
		filename: file.split("/").at(-1),
		fields: fieldsOf(id, resource),
		...(!isOpen && {
			download: async (signal) =>
				await fileFrom(
					cloud,
					() => ({ url: downloadUrl(cloud, { type, id, format }), headers: {}, mayMove: true }),
					signal,
				),
		}),
	};
}

/** Addresses of images that not everybody may see carry a signature. */
function unsigned(address: string): string {
	return address.replace(/\/s--[\w-]+--(?=\/)/, "");
}

function isRestricted(rules: unknown): boolean {
	return Array.isArray(rules) && rules.some((rule) => isRecord(rule) && rule.access_type === "token");
}

/** A caption is what people wrote below a picture; the words for those who do not see it are the next best. */
function fieldsOf(
	id: string,
	{ created_at: date, tags, context, metadata, asset_folder: folder }: JsonAnswer,
): PictureFields {
	const custom = isRecord(context) && isRecord(context.custom) ? context.custom : {};
	const { caption, ...others } = pairsIn(custom);
	const place = textIn(folder);
	return {
		date: textIn(date),
		caption: caption ?? others.alt,
		labels: { ...(place === undefined ? folderLabel(id) : { folder: place }), ...tagLabels(textsIn(tags)) },
		metadata: { ...others, ...pairsIn(metadata) },
	};
}

interface Asked {
	readonly type: string;
	readonly id: string;
	readonly format: string | undefined;
}

/** The original, for whoever has the secret, for a few minutes. */
function downloadUrl({ api, key, secret }: Cloud, { type, id, format }: Asked): string {
	const seconds = String(Math.floor(Date.now() / 1_000));
	const signed = { ...(format !== undefined && { format }), public_id: id, timestamp: seconds, type };
	const text = Object.entries(signed).map(([name, value]) => `${name}=${value}`);
	const signature = createHash("sha1")
		.update(text.join("&") + secret)
		.digest("hex");
	return `${api}/image/download?${new URLSearchParams({ ...signed, api_key: key, signature })}`;
}
