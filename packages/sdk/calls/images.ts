import type { Image, Labels, SignedAddress, Tombstone } from "../shapes.ts";
import type { SignedParameters } from "../sign-url.ts";
import type { BatchResult } from "../types.ts";
import {
	canStream,
	isStream,
	StreamedForm,
	toBlob,
	type UploadProgress,
	type UploadSource,
	type UploadStream,
	unthrowing,
} from "../uploads/upload.ts";
import { dateText, pathOf } from "../wire/calls.ts";
import type { CallOptions, Query, RequestOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";
import { type ImagePage, type LabelOptions, type ListOptions, listQuery } from "./image-lists.ts";

/** What may be asked for besides. */
export interface IncludeOptions extends CallOptions {
	/**
	 * `facts`: what is known of the picture itself; `preview`: an address that shows its smallest size for some minutes; `revision`: the number of
	 * its last change. Only in interface 4.6.0.
	 */
	readonly include?: readonly ("facts" | "preview" | "revision")[] | undefined;
}

export interface CreateOptions extends IncludeOptions {
	readonly caption?: string | undefined;
	/** A Date, ISO 8601, or a unix timestamp in seconds. Default: the time of the upload. */
	readonly publishedAt?: Date | string | number | undefined;
	/** Seconds, or a duration such as `24h` or `7d`, from 5 minutes to 90 days. Default: no expiry. */
	readonly ttl?: string | number | undefined;
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	readonly labels?: Readonly<Record<string, string>> | undefined;
	/** Your own name for the image, 1 to 255 characters, unique among the living images of a storage. */
	readonly externalId?: string | undefined;
	/** Transition and legacy interfaces only. Default: the storage's own. */
	readonly public?: boolean | undefined;
	/** Repeating a create with its key never doubles it, for 24 hours. Default: a new random key for each call. */
	readonly idempotencyKey?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
	/** Leaves nothing that could be restored. Default: {@link Images.restore} brings it back for 24 hours. */
	readonly permanent?: boolean | undefined;
}

/** A change that is repeated after a transient failure where it has a key. */
export interface CreateCall extends IncludeOptions {
	/** Repeating a call with its key does nothing twice, for 24 hours. Default: a new random key for each call. */
	readonly idempotencyKey?: string | undefined;
}

export interface ReplaceOptions extends CreateCall {
	/** Default: the name of a File, else `image`. */
	readonly filename?: string | undefined;
}

export interface UploadOptions extends CreateOptions {
	/** Default: the name of a File, else `image`. */
	readonly filename?: string | undefined;
	/** Hears how much of the file the connection has taken; in a browser no more than the beginning and the end. */
	readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
	/** Size of what a stream gives, where it is known: for progress. */
	readonly totalBytes?: number | undefined;
}

/** A stream cannot be sent twice, so nothing is repeated. To try again, open it anew and call again with the same `idempotencyKey`. */
export interface StreamOptions extends UploadOptions {
	readonly retries?: 0 | undefined;
}

/** Merged into a map: a string sets a key, null removes it. */
export type StringMapChange = Readonly<Record<string, string | null>>;

/** Fields that are left out stay as they are. */
export interface ImageChanges {
	/** Null or empty clears it. */
	readonly caption?: string | null | undefined;
	/** A Date, ISO 8601, or a unix timestamp in seconds. */
	readonly publishedAt?: Date | string | number | undefined;
	/** Lifetime from now on: seconds, or a duration such as `24h` or `7d`, from 5 minutes to 90 days. Null makes the image permanent. */
	readonly ttl?: string | number | null | undefined;
	readonly metadata?: StringMapChange | undefined;
	readonly labels?: StringMapChange | undefined;
	/** Null clears it. One image only: not for {@link Images.editMany}. */
	readonly externalId?: string | null | undefined;
	/** Nothing changes unless the image has all of these labels with these very values. */
	readonly ifLabels?: Readonly<Record<string, string>> | undefined;
	/**
	 * The `revision` that was read by `include`: where somebody else has changed the image since, nothing changes. One image only. Not in older
	 * interfaces.
	 */
	readonly ifRevision?: number | undefined;
	/** Transition and legacy interfaces only. */
	readonly public?: boolean | undefined;
}

export interface SignImageOptions extends CallOptions {
	/** Of the transform host, or `preset` with the name of one. */
	readonly parameters?: SignedParameters | undefined;
	/** Seconds, or a duration such as `10m` or `7d`, up to `366d`. */
	readonly expiresIn: number | string;
}

export interface Images {
	/** Repeated after a failure of the moment; the idempotency key keeps it one image. */
	upload(file: UploadSource, options?: UploadOptions): Promise<Image>;
	/**
	 * Sends a stream as it comes, without gathering it (browsers gather it), and once. When it fails, the call rejects with its error.
	 * @throws TypeError for a stream that was sent before
	 */
	upload(stream: UploadStream, options?: StreamOptions): Promise<Image>;
	/** The service fetches the address itself. */
	import(url: string, options?: CreateOptions): Promise<Image>;
	get(id: string, options?: IncludeOptions): Promise<Image>;
	/** Fetches one page, newest `published_at` first. */
	list(options?: ListOptions): Promise<ImagePage>;
	/** Labels of the images whose key begins with `prefix`, with how many have each; at most `limit`, or 1,000. */
	labels(prefix?: string, options?: LabelOptions): Promise<Labels>;
	/** Yields every page from `cursor` on. */
	pages(options?: ListOptions): AsyncGenerator<ImagePage, void, undefined>;
	/** Yields every image from `cursor` on; pages are fetched as they are needed. */
	all(options?: ListOptions): AsyncGenerator<Image, void, undefined>;
	/**
	 * All of the changes, or none of them. Not repeated after a lost answer: `ifLabels` may no longer hold because of the first try.
	 * @throws ApiError `state_conflict` when `ifLabels` does not hold, or `ifRevision`, with what was changed in `details`; `media_locked`, `media_failed`, `not_found`
	 */
	edit(id: string, changes: ImageChanges, options?: IncludeOptions): Promise<Image>;
	/** Makes the same changes, but for `externalId`, to each of at most 100 images. An image that could not be changed is in `errors`, not thrown. */
	editMany(ids: readonly string[], changes: ImageChanges, options?: IncludeOptions): Promise<BatchResult<Image>>;
	/** Deletes at most 100 images; one that is gone already counts as deleted. */
	deleteMany(ids: readonly string[], options?: DeleteOptions): Promise<BatchResult<Tombstone>>;
	/** @throws ApiError `not_found` for an image that is gone already, unless an earlier try of this very call removed it. */
	delete(id: string, options?: DeleteOptions): Promise<Tombstone>;
	/**
	 * Brings an image back that was deleted in the last 24 hours, under its id and addresses.
	 * @throws ApiError `not_found`, `state_conflict` where it is there, `quota_exceeded`
	 */
	restore(id: string, options?: CreateCall): Promise<Image>;
	/**
	 * Gives an image other bytes, or lets the service fetch them: the same id, labels, dates and address.
	 * @throws ApiError `media_locked`, `not_found`, and those of `upload`
	 */
	replace(id: string, file: UploadSource | { readonly url: string }, options?: ReplaceOptions): Promise<Image>;
	/**
	 * Makes another image of the same bytes, dates, labels and texts, for a connected user of the App, or with null in the App storage.
	 * @throws ApiError `media_locked`, `not_found`, `quota_exceeded`
	 */
	copy(id: string, user: string | null, options?: CreateCall): Promise<Image>;
	/** Moves an image to a connected user of the App, or with null into the App storage: the same id, and another `url`. */
	move(id: string, user: string | null, options?: CreateCall): Promise<Image>;
	/**
	 * An address that is answered under every delivery policy until it ends, for those who have no signing key's secret. Who may only look gets
	 * one for at most 10 minutes. Not in older interfaces.
	 * @throws ApiError `validation_error` naming a parameter that the transform host would ignore, `forbidden`, `not_found`
	 */
	sign(id: string, options: SignImageOptions): Promise<SignedAddress>;
	/** @deprecated It is called `edit`. */
	update: Images["edit"];
	/** @deprecated It is called `editMany`. */
	updateMany: Images["editMany"];
}

const BATCH_PATH = "/v1/images/batch";

export function imagesOn(transport: Transport): Images {
	function request<T>(method: string, path: string, call: RequestOptions = {}): Promise<T> {
		return transport.send(method, path, call) as Promise<T>;
	}

	function create(body: unknown, call: CreateOptions): Promise<Image> {
		const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
		return request("POST", "/v1/images", { ...call, query: includeQuery(call), body, idempotencyKey });
	}

	function list(call: ListOptions = {}): Promise<ImagePage> {
		return request("GET", "/v1/images", { ...call, query: listQuery(call) });
	}

	async function* pages(call: ListOptions = {}): AsyncGenerator<ImagePage, void, undefined> {
		let cursor = call.cursor;
		do {
			const page = await list({ ...call, cursor });
			yield page;
			cursor = page.pagination.next_cursor ?? undefined;
		} while (cursor !== undefined);
	}

	async function* all(call: ListOptions = {}): AsyncGenerator<Image, void, undefined> {
		for await (const page of pages(call)) yield* page.data;
	}

	const edit: Images["edit"] = (id, changes, call = {}) =>
		request("PATCH", imagePath(id), { ...call, query: includeQuery(call), body: changesBody(changes) });
	const editMany: Images["editMany"] = (ids, changes, call = {}) =>
		request("PATCH", BATCH_PATH, { ...call, query: includeQuery(call), body: { ids, ...changesBody(changes) } });

	return {
		upload: async (file: UploadSource | UploadStream, call: UploadOptions = {}) => {
			if (isSentAsStream(file, call)) return create(streamedForm(file, call), call);
			const whole = await toBlob(file);
			const onProgress = unthrowing(call.onProgress);
			onProgress?.({ sentBytes: 0, totalBytes: whole.size });
			const image = await create(uploadForm(whole, call), call);
			onProgress?.({ sentBytes: whole.size, totalBytes: whole.size });
			return image;
		},
		import: (url, call = {}) => create({ url, ...Object.fromEntries(createFields(call)) }, call),
		get: (id, call = {}) => request("GET", imagePath(id), { ...call, query: includeQuery(call) }),
		list,
		labels: (prefix, { limit, ...call } = {}) => request("GET", "/v1/labels", { ...call, query: { prefix, limit } }),
		pages,
		all,
		edit,
		editMany,
		update: edit,
		updateMany: editMany,
		delete: (id, call = {}) =>
			transport.remove(imagePath(id), { ...call, query: deleteQuery(call) }, tombstone(id)) as Promise<Tombstone>,
		deleteMany: (ids, call = {}) => {
			const options = { ...call, query: deleteQuery(call), body: { ids } };
			return transport.repeat("DELETE", BATCH_PATH, options) as Promise<BatchResult<Tombstone>>;
		},
		restore: (id, call) => request("POST", `${imagePath(id)}/restore`, keyed(call)),
		replace: async (id, file, call = {}) => {
			const isAddress = typeof file === "object" && "url" in file;
			const body = isAddress
				? { url: file.url }
				: uploadForm(await toBlob(file), { filename: call.filename ?? nameOf(file) });
			return await request("POST", `${imagePath(id)}/replace`, { ...keyed(call), body });
		},
		sign: (id, { parameters = {}, expiresIn, ...call }) => {
			const body = { parameters: textsOf(parameters), expires_in: expiresIn };
			return request("POST", `${imagePath(id)}/sign`, { ...call, body });
		},
		copy: (id, user, call) => request("POST", `${imagePath(id)}/copy`, { ...keyed(call), body: { user_id: user } }),
		move: (id, user, call) => request("POST", `${imagePath(id)}/move`, { ...keyed(call), body: { user_id: user } }),
	};
}

function textsOf(parameters: SignedParameters): Record<string, string> {
	return Object.fromEntries(
		Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
	);
}

function includeQuery({ include }: IncludeOptions): Query {
	return { include: include?.join(",") };
}

/** A file that is there as a whole goes out as such, unless somebody wants to see it go. */
function isSentAsStream(file: UploadSource | UploadStream, { onProgress }: UploadOptions): boolean {
	return canStream() && (isStream(file) || typeof file === "function" || onProgress !== undefined);
}

function streamedForm(file: UploadSource | UploadStream, options: UploadOptions): StreamedForm {
	return new StreamedForm(file, fieldTexts(options), options.filename ?? nameOf(file), options);
}

function uploadForm(file: Blob, options: UploadOptions): FormData {
	const form = new FormData();
	for (const [name, value] of fieldTexts(options)) form.append(name, value);
	form.append("file", file, options.filename ?? nameOf(file));
	return form;
}

/** A File knows its name. Asked by property, since not every runtime has a global File. */
function nameOf(file: UploadSource | UploadStream): string {
	return file instanceof Blob && "name" in file && typeof file.name === "string" ? file.name : "image";
}

function fieldTexts(options: CreateOptions): (readonly [string, string])[] {
	return createFields(options).map(([name, value]) => [
		name,
		typeof value === "object" ? JSON.stringify(value) : String(value),
	]);
}

/** The fields of a create that were given, named as on the wire. */
function createFields(options: CreateOptions) {
	const fields = {
		caption: options.caption,
		published_at: dateText(options.publishedAt),
		ttl: options.ttl,
		metadata: options.metadata,
		labels: options.labels,
		external_id: options.externalId,
		public: options.public,
	};
	return Object.entries(fields).filter((entry) => entry[1] !== undefined);
}

function imagePath(id: string): string {
	return pathOf("images", id);
}

/** JSON leaves out the fields that are undefined. */
function changesBody(changes: ImageChanges) {
	const { caption, publishedAt, ttl, metadata, labels, externalId, ifLabels, ifRevision, public: visible } = changes;
	return {
		caption,
		published_at: dateText(publishedAt),
		ttl,
		metadata,
		labels,
		external_id: externalId,
		if_labels: ifLabels,
		if_revision: ifRevision,
		public: visible,
	};
}

function deleteQuery({ permanent }: DeleteOptions): Query {
	return { permanent: permanent === undefined ? undefined : String(permanent) };
}

function keyed(call: CreateCall = {}) {
	return { ...call, query: includeQuery(call), idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() };
}

function tombstone(id: string): Tombstone {
	return { id, object: "image", deleted: true };
}
