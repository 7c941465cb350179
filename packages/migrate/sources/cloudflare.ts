import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { entriesIn, isRecord, type JsonAnswer, jsonFrom, pairsIn, textIn } from "./json-answers.ts";
import type { FoundImage, ImageSource, SourceOptions } from "./source.ts";
import { fileFrom, type SourcePlace, unlike } from "./source-calls.ts";

/*
 * The images of Cloudflare Images. The addresses that everybody may open are of variants, which are smaller and made anew: the files
 * that were uploaded come from its interface, with the token, through here.
 */

const KEYS = "CLOUDFLARE_API_TOKEN (with Images: Read) and CLOUDFLARE_ACCOUNT_ID";
const API = "https://api.cloudflare.com/client/v4";
const PAGE = 1_000;

interface Account extends SourcePlace {
	readonly api: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** @throws LocalError */
export function openCloudflare({ env, endpoint = API, prefix = "", fetch, tell }: SourceOptions): ImageSource {
	const [token, id] = [env.CLOUDFLARE_API_TOKEN?.trim() ?? "", env.CLOUDFLARE_ACCOUNT_ID?.trim() ?? ""];
	if (token === "" || id === "")
		throw new LocalError(`The key of Cloudflare is missing: set ${KEYS}.`, undefined, EXIT.auth);
	if (!URL.canParse(endpoint)) throw new UsageError(`"${endpoint}" is no address.`);
	const account: Account = {
		...{ title: "Cloudflare", keys: KEYS, secrets: [token], fetch, tell },
		api: `${endpoint.replace(/\/+$/, "")}/accounts/${encodeURIComponent(id)}/images`,
		headers: { authorization: `Bearer ${token}` },
	};
	return {
		name: "cloudflare-images",
		async *list(signal) {
			let line = 0;
			for await (const image of images(account, signal)) {
				if (String(image.id).startsWith(prefix)) yield listed(account, image, ++line);
			}
		},
	};
}

async function* images(account: Account, signal: AbortSignal): AsyncGenerator<JsonAnswer> {
	const { api, headers } = account;
	for (let token: string | undefined; ; ) {
		const query = new URLSearchParams({ per_page: String(PAGE), sort_order: "asc" });
		if (token !== undefined) query.set("continuation_token", token);
		const { result } = await jsonFrom(account, () => ({ url: `${api}/v2?${query}`, headers }), signal);
		if (!isRecord(result)) throw unlike(account);
		yield* entriesIn(account, result.images);
		const next = textIn(result.continuation_token);
		if (next === undefined) return;
		if (next === token) throw unlike(account);
		token = next;
	}
}

function listed(account: Account, image: JsonAnswer, line: number): FoundImage {
	const id = textIn(image.id);
	if (id === undefined) return { line, address: "", why: "Cloudflare names no id of it.", isNoPicture: false };
	const creator = textIn(image.creator);
	const url = `${account.api}/v1/${encodeURIComponent(id)}/blob`;
	return {
		line,
		address: `cloudflare-images://${id}`,
		name: id,
		filename: textIn(image.filename) ?? id.split("/").at(-1),
		fields: {
			date: textIn(image.uploaded),
			labels: {},
			metadata: { ...pairsIn(image.meta), ...(creator !== undefined && { creator }) },
		},
		download: async (signal) => await fileFrom(account, () => ({ url, headers: account.headers }), signal),
	};
}
