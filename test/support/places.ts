import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * Other places on loopback, with the shapes that their public documentation has: Cloudinary's Admin API, Cloudflare Images, Supabase
 * Storage and Uploadcare's REST API. Each knows its key, answers in pages, and fails on demand.
 */

export const SECRET = "a-secret/of+tests=";

interface PlaceAnswer {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** An object is sent as JSON. */
	readonly body: Buffer | string | object;
}

export interface Asked {
	readonly method: string;
	/** Path and query. */
	readonly path: string;
	readonly headers: IncomingMessage["headers"];
	readonly body: string;
}

export interface Place extends AsyncDisposable {
	readonly origin: string;
	readonly asked: Asked[];
	/** The next one that fits is answered so. */
	next(fits: RegExp, answer: PlaceAnswer): void;
}

export async function startPlace(answer: (asked: Asked) => PlaceAnswer): Promise<Place> {
	const asked: Asked[] = [];
	const faults: { readonly fits: RegExp; readonly answer: PlaceAnswer }[] = [];
	const take = (path: string) => {
		const at = faults.findIndex(({ fits }) => fits.test(path));
		return at < 0 ? undefined : faults.splice(at, 1)[0]?.answer;
	};
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part);
		const { method = "", url = "", headers } = request;
		const one = { method, path: url, headers, body: Buffer.concat(parts).toString() };
		asked.push(one);
		const { status = 200, headers: more, body } = take(url) ?? answer(one);
		const isJson = typeof body === "object" && !Buffer.isBuffer(body);
		response.writeHead(status, { "Content-Type": isJson ? "application/json" : "application/octet-stream", ...more });
		response.end(isJson ? JSON.stringify(body) : body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		next: (fits, one) => faults.push({ fits, answer: one }),
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

/** Real places repeat what they were sent. */
function denied({ headers }: Asked): PlaceAnswer {
	const { authorization = "", apikey = "" } = headers;
	const plain = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
	return { status: 401, body: { error: { message: `unknown key: ${authorization}, ${apikey}, ${plain}` } } };
}

const basic = `Basic ${Buffer.from(`12345:${SECRET}`).toString("base64")}`;

/** Two pictures that everybody may see, on a page each, and one that nobody may see without a signature. */
export function cloudinary(file: Buffer, pictures: string): (asked: Asked) => PlaceAnswer {
	const resource = (id: string, type: string, more: object = {}) => ({
		...{ asset_id: `asset-${id}`, public_id: id, format: "png", version: 1570979139, resource_type: "image", type },
		...{
			created_at: "2019-10-13T15:05:39Z",
			bytes: 120_253,
			width: 864,
			height: 576,
			asset_folder: "animals",
			display_name: id,
		},
		url: `http://res.cloudinary.com/demo/image/${type}/v1570979139/${id}.png`,
		secure_url: `${pictures}/demo/image/${type}/v1570979139/${id}.png`,
		...more,
	});
	const said = {
		tags: ["Wild Cat", "été", "猫"],
		context: { custom: { alt: "A cat that sleeps", photographer: "Ann" } },
		metadata: { sku: "17", sizes: ["s", "m"] },
	};
	const lists: Readonly<Record<string, readonly object[]>> = {
		upload: [
			resource("animals/cat", "upload", said),
			resource("dog", "upload", { asset_folder: "" }),
			resource("manual", "upload", { format: "pdf" }),
		],
		private: [resource("hidden", "private", { asset_folder: "" })],
		authenticated: [],
	};
	return (asked) => {
		const url = new URL(asked.path, "http://place");
		if (url.pathname === "/v1_1/demo/image/download") return download(url.searchParams, file);
		if (asked.headers.authorization !== basic) return denied(asked);
		const [, type = ""] = /^\/v1_1\/demo\/resources\/image\/(\w+)$/.exec(url.pathname) ?? [];
		const list = lists[type] ?? [];
		const at = Number(url.searchParams.get("next_cursor") ?? 0);
		return {
			body: {
				resources: list.slice(at, at + 1),
				...(at + 1 < list.length && { next_cursor: String(at + 1) }),
				rate_limit_allowed: 500,
			},
		};
	};
}

/** As its servers check what their own clients sign. */
function download(query: URLSearchParams, file: Buffer): PlaceAnswer {
	const { api_key: key, signature, ...signed } = Object.fromEntries(query);
	const text = Object.keys(signed)
		.toSorted()
		.map((name) => `${name}=${signed[name]}`);
	const expected = createHash("sha1")
		.update(text.join("&") + SECRET)
		.digest("hex");
	const isFresh = Math.abs(Number(signed.timestamp) - Date.now() / 1_000) < 3_600;
	if (key !== "12345" || signature !== expected || !isFresh)
		return { status: 401, body: { error: { message: "Invalid Signature" } } };
	return { body: file };
}

export function cloudflare(file: Buffer): (asked: Asked) => PlaceAnswer {
	const image = (id: string, more: object = {}) => ({
		...{
			id,
			filename: "cat.png",
			uploaded: "2014-01-02T02:20:00.123Z",
			requireSignedURLs: true,
			creator: "ann@example.com",
		},
		variants: [
			`https://imagedelivery.net/MTt4OTd0b0w5aj/${id}/thumbnail`,
			`https://imagedelivery.net/MTt4OTd0b0w5aj/${id}/hero`,
		],
		...more,
	});
	const pages = [
		[image("cats/1", { meta: { key: "value", stars: 5 } })],
		[image("107b9558-dd06-4bbd-5fef-9c2c16bb7900")],
	];
	return (asked) => {
		if (asked.headers.authorization !== `Bearer ${SECRET}`) return denied(asked);
		const url = new URL(asked.path, "http://place");
		if (/^\/accounts\/abc123\/images\/v1\/(cats%2F1|107b9558-dd06-4bbd-5fef-9c2c16bb7900)\/blob$/.test(url.pathname))
			return { body: file };
		if (url.pathname !== "/accounts/abc123/images/v2")
			return { status: 404, body: { success: false, errors: [{ code: 5404, message: "Image not found" }] } };
		const at = Number(url.searchParams.get("continuation_token") ?? 0);
		const next = at + 1 < pages.length ? String(at + 1) : null;
		return {
			body: { result: { images: pages[at], continuation_token: next }, success: true, errors: [], messages: [] },
		};
	};
}

/** A bucket with a folder in a folder, which gives two entries at a time whatever it is asked for. */
export function supabase(file: Buffer, isPublic: boolean): (asked: Asked) => PlaceAnswer {
	const at = "2021-04-06T16:30:35.394674+00:00";
	const stored = (name: string, mimetype = "image/png") => ({
		...{ name, id: `eaa8bdb5-${name}`, updated_at: at, created_at: at, last_accessed_at: at },
		metadata: {
			eTag: '"c5e8c553235d9af30ef4f6e280790b92"',
			size: 1234,
			mimetype,
			cacheControl: "max-age=3600",
			lastModified: at,
		},
	});
	const folder = (name: string) => ({
		name,
		id: null,
		updated_at: null,
		created_at: null,
		last_accessed_at: null,
		metadata: null,
	});
	const tree: Readonly<Record<string, readonly { readonly name: string }[]>> = {
		"": [folder("2021"), stored("a b.png"), stored("notes.txt", "text/plain")],
		"2021": [stored(".emptyFolderPlaceholder", "application/octet-stream"), folder("summer, in the sun")],
		"2021/summer, in the sun": [stored("ü.png")],
	};
	const answers: readonly (readonly [path: RegExp, answer: (asked: Asked) => PlaceAnswer])[] = [
		[
			/^bucket\/avatars$/,
			() => ({ body: { id: "avatars", name: "avatars", owner: "", public: isPublic, created_at: at } }),
		],
		[/^object\/authenticated\/avatars\//, () => ({ body: file })],
		[/^object\/list\/avatars$/, ({ body }) => ({ body: pageOf(tree, body) })],
		[/./, () => ({ status: 400, body: { statusCode: "404", error: "Bucket not found", message: "Bucket not found" } })],
	];
	return (asked) => {
		const path = decodeURIComponent(asked.path.replace("/storage/v1/", ""));
		if (isPublic && path.startsWith("object/public/avatars/")) return { body: file };
		const { authorization, apikey } = asked.headers;
		if (authorization !== `Bearer ${SECRET}` || apikey !== SECRET)
			return {
				status: 400,
				body: { statusCode: "403", error: "Unauthorized", message: `Invalid Compact JWS ${apikey}` },
			};
		const [, answer = denied] = answers.find(([pattern]) => pattern.test(path)) ?? [];
		return answer(asked);
	};
}

function pageOf(tree: Readonly<Record<string, readonly object[]>>, body: string): readonly object[] {
	const { prefix, offset } = JSON.parse(body) as { readonly prefix: string; readonly offset: number };
	return (tree[prefix] ?? []).slice(offset, offset + 2);
}

export function uploadcare(pictures: string): (asked: Asked) => PlaceAnswer {
	const file = (uuid: string, name: string, more: object = {}) => ({
		...{
			datetime_removed: null,
			datetime_stored: "2018-11-26T12:49:10.477888Z",
			datetime_uploaded: "2018-11-26T12:49:09.945335Z",
		},
		...{
			is_image: true,
			is_ready: true,
			mime_type: "image/png",
			original_filename: name,
			size: 642,
			uuid,
			variations: null,
		},
		original_file_url: `${pictures}/${uuid}/${name}`,
		url: `https://api.uploadcare.com/files/${uuid}/`,
		content_info: {
			mime: { mime: "image/png", type: "image", subtype: "png" },
			image: { format: "PNG", width: 8, height: 6, sequence: false },
		},
		metadata: {},
		...more,
	});
	const results = [
		file("3c269810-c17b-4e2c-92b6-25622464d866", "papaya.png", { metadata: { subsystem: "uploader", pet: "cat" } }),
		file("22240276-2f06-41f8-9411-755c8ce926ed", "film.mp4", { is_image: false, mime_type: "video/mp4" }),
		file("21975c81-7f57-4c7a-aef9-acfe28779f78", "pear.png"),
	];
	return (asked) => {
		if (asked.headers.authorization !== `Uploadcare.Simple demopublickey:${SECRET}`)
			return { status: 401, body: { detail: `Incorrect authentication credentials: ${asked.headers.authorization}` } };
		if (asked.headers.accept !== "application/vnd.uploadcare-v0.7+json")
			return { status: 406, body: { detail: "Not acceptable" } };
		const url = new URL(asked.path, `http://${asked.headers.host}`);
		const at = Number(url.searchParams.get("from") ?? 0);
		url.searchParams.set("from", String(at + 2));
		const next = at + 2 < results.length ? url.href : null;
		return {
			body: {
				next,
				previous: null,
				total: 3,
				totals: { removed: 0, stored: 3, unstored: 0 },
				per_page: 2,
				results: results.slice(at, at + 2),
			},
		};
	};
}
