import type { Access } from "@svc/apps/access";
import type { Cursors, Position } from "@svc/base/cursors";
import { type Details, Failure, invalid } from "@svc/base/failure";
import { labelKeyFault, labelValueFault } from "../image-fields.ts";
import type { ListedImage } from "../ports.ts";
import type { Images } from "../room.ts";
import type { LabelFilter, ListFilter } from "./list-filters.ts";
import { NOT_SIMILAR, narrowingParams, parseNarrowing, parseOrder } from "./list-filters.ts";

/** A list request as sent, before its cursor is opened. */
export interface ListRequest extends ListFilter {
	readonly limit: number;
	readonly cursor: string | undefined;
}

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 50;
const IDS_MAX = 100;
const FILTER_KEYS_MAX = 20;
const FILTER_VALUES_MAX = 50;

/**
 * Reads the query of `GET /v1/images` as the specification has it: ids, labels, limit and cursor.
 * @throws Failure validation_error naming each bad parameter as it was sent
 */
export function parseListRequest(params: URLSearchParams): ListRequest {
	const faults = newFaults();
	const request = readRequest(params, faults);
	refuse(faults);
	return request;
}

/**
 * Reads the same with all that narrows and orders the list, and labels as one plain string.
 * @throws Failure validation_error naming each bad parameter as it was sent
 */
export function parseWholeListRequest(params: URLSearchParams): ListRequest {
	const faults = newFaults();
	const sent = withPlainLabels(params, faults);
	const request = readRequest(sent, faults);
	if (params.has("labels")) nameLabels(faults);
	const narrowed = parseNarrowing(params, faults);
	const order = parseOrder(params.get("order"), faults);
	const isNarrowed = Object.keys(narrowed).length > 0 || params.has("order");
	if (request.ids && isNarrowed) faults.ids = ["cannot be combined with filters or an order"];
	refuse(faults);
	return { ...request, narrowed, order };
}

/** A fault in one of the plain labels is told under the name that was sent. */
function nameLabels(faults: Record<string, string[]>): void {
	for (const name of Object.keys(faults).filter((one) => one.startsWith("label") && one !== "labels")) {
		faults.labels ??= faults[name] ?? [];
		delete faults[name];
	}
}

// The names are the caller's: an ordinary object would lose what is put under "__proto__".
function newFaults(): Record<string, string[]> {
	return Object.create(null) as Record<string, string[]>;
}

function readRequest(params: URLSearchParams, faults: Record<string, string[]>): ListRequest {
	refuseRepeated(params, faults);
	const labels = parseLabels(params, faults);
	const ids = parseIds(params.get("ids"), labels.length > 0, faults);
	const limit = parseLimit(params.get("limit"), faults);
	return { ids, labels, limit, cursor: params.get("cursor") ?? undefined };
}

/** Writes `labels=album=x,album=y,!draft` as the filters that it stands for: `label[album]=x,y` and `label[!draft]=`. */
function withPlainLabels(params: URLSearchParams, faults: Record<string, string[]>): URLSearchParams {
	const plain = params.get("labels");
	if (plain === null) return params;
	const sent = new URLSearchParams(params);
	sent.delete("labels");
	if ([...sent.keys()].some((name) => name.startsWith("label"))) faults.labels = ["cannot be combined with label[…]"];
	if (params.getAll("labels").length > 1) faults.labels = ["is sent more than once"];
	const wanted = plain.split(",");
	if (wanted.length > FILTER_KEYS_MAX + FILTER_VALUES_MAX) {
		faults.labels = [`must name at most ${FILTER_VALUES_MAX} values`];
		return sent;
	}
	for (const one of wanted) {
		const [, absent = "", key = "", , value = ""] = /^(!?)([^=[\]]*)(=(.*))?$/s.exec(one) ?? [];
		const name = `label[${absent}${key}]`;
		if (key === "" || (absent === "") !== one.includes("=")) {
			faults.labels = ["must be key=value or !key, separated by commas"];
		} else if (absent) sent.set(name, value);
		else sent.set(name, [...sent.getAll(name), value].join(","));
	}
	return sent;
}

function refuse(faults: Details): void {
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
}

function refuseRepeated(params: URLSearchParams, faults: Record<string, string[]>): void {
	const seen = new Set<string>();
	for (const name of params.keys()) {
		if (seen.has(name)) faults[bounded(name)] = ["is sent more than once"];
		seen.add(name);
	}
}

/** @returns 1 to 100, 50 where nothing was sent */
export function parseLimit(sent: string | null, faults: Record<string, string[]>): number {
	if (sent === null) return LIMIT_DEFAULT;
	const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
	if (limit < 1 || limit > LIMIT_MAX) faults.limit = [`must be a whole number from 1 to ${LIMIT_MAX}`];
	return limit;
}

function parseIds(sent: string | null, filtered: boolean, faults: Record<string, string[]>): string[] | undefined {
	if (sent === null) return undefined;
	const ids = [...new Set(sent.split(","))];
	if (filtered) faults.ids = ["cannot be combined with label filters"];
	else if (ids.includes("")) faults.ids = ["must be image ids, separated by commas"];
	else if (ids.length > IDS_MAX) faults.ids = [`must be at most ${IDS_MAX} ids`];
	return ids;
}

function parseLabels(params: URLSearchParams, faults: Record<string, string[]>): LabelFilter[] {
	const filters: LabelFilter[] = [];
	for (const [name, value] of params) {
		if (!name.startsWith("label")) continue;
		const filter = parseLabel(name, value);
		if (typeof filter === "string") faults[bounded(name)] = [filter];
		else filters.push(filter);
	}
	const alternatives = filters.reduce((sum, filter) => sum + ("values" in filter ? filter.values.length : 0), 0);
	if (filters.length > FILTER_KEYS_MAX) faults.label = [`must name at most ${FILTER_KEYS_MAX} keys`];
	if (alternatives > FILTER_VALUES_MAX) faults.label = [`must name at most ${FILTER_VALUES_MAX} values`];
	return filters;
}

/** Returns the filter, or the fault as text. */
function parseLabel(name: string, value: string): LabelFilter | string {
	const match = /^label\[(!?)([^[\]]*)\]$/.exec(name);
	if (!match) return "must look like label[key]=value or label[!key]";
	const [, absent, key = ""] = match;
	const keyFault = labelKeyFault(key);
	if (keyFault) return keyFault;
	if (absent) return value === "" ? { key, absent: true } : "takes no value";
	const values = [...new Set(value.split(","))];
	const fault = values.map((one) => labelValueFault(key, one)).find((one) => one !== undefined);
	return fault ?? { key, values };
}

/** A parameter's name comes from the caller: it is shown back, shortened. */
function bounded(name: string): string {
	return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

/** The filter as query parameters in a fixed order: for `next_url`, and as what a cursor is bound to. */
export function filterParams(filter: ListFilter): URLSearchParams {
	const params = new URLSearchParams();
	if (filter.ids) params.set("ids", filter.ids.join(","));
	for (const label of [...filter.labels].sort((a, b) => (a.key < b.key ? -1 : 1))) {
		if ("values" in label) params.set(`label[${label.key}]`, label.values.join(","));
		else params.set(`label[!${label.key}]`, "");
	}
	for (const [name, value] of narrowingParams(filter.narrowed ?? {})) params.set(name, value);
	if (filter.order === "asc") params.set("order", "asc");
	if (filter.state !== undefined && filter.state !== "ready") params.set("state", filter.state);
	return params;
}

export interface ImagePage {
	readonly images: readonly ListedImage[];
	/** Undefined on the last page. */
	readonly nextCursor: string | undefined;
}

/** How many images are counted for the total of a list that is narrowed. */
const TOTAL_MAX = 100_000;
/** The same where a caller would rather have no total than wait for it: what one statement looks at. */
export const TOTAL_QUICK_MAX = 10_000;

/**
 * What pictures are to be like has to be an image of the storage. One that nobody has looked at yet is looked at now.
 * @throws Failure validation_error under `name`
 */
export async function requireSimilar(
	{ store, likenesses, clock }: Pick<Images, "store" | "likenesses" | "clock">,
	storage: Pick<Access["storage"], "pk">,
	{ narrowed }: ListFilter,
	name = "similar_to",
): Promise<void> {
	if (narrowed?.similarTo === undefined) return;
	const image = await store.find(storage.pk, narrowed.similarTo, clock.now());
	if (!image) throw invalid(name, NOT_SIMILAR);
	await likenesses.look(image, "likeness").catch(() => undefined);
}

/** @throws Failure validation_error under `cursor`, `similar_to` */
export async function listImages(
	room: Images & { readonly cursors: Cursors },
	access: Pick<Access, "storage">,
	request: ListRequest,
): Promise<ImagePage> {
	await requireSimilar(room, access.storage, request);
	const scope = `images ${access.storage.id} ${filterParams(request)}`;
	const after = request.cursor === undefined ? undefined : await room.cursors.open(request.cursor, scope);
	const { cursor: _, ...filter } = request;
	const { limit } = request;
	// One more than asked for tells whether there is another page.
	const query = { ...filter, after };
	// Images in a storage that is being deleted are gone for every caller.
	const found =
		access.storage.state === "deleting" ? [] : await room.store.list(access.storage.pk, query, room.clock.now());
	const images = found.slice(0, limit);
	const last = images.at(-1);
	const nextCursor = found.length > limit && last ? await room.cursors.seal(placeOf(last), scope) : undefined;
	return { images, nextCursor };
}

/** Where an image stands in its list: deleted ones by the time of their delete. */
export function placeOf({ deletedMs, publishedMs, pk }: ListedImage): Position {
	return { publishedMs: deletedMs ?? publishedMs, pk };
}

/**
 * How many images fit a filter, on all pages; of a filter that leaves more than 100,000 null.
 * @param lookedMax null as well where more than so many images have to be looked at for it; at most 10,000
 */
export async function countImages(
	{ store, clock }: Images,
	{ storage }: Pick<Access, "storage">,
	filter: ListFilter,
	lookedMax?: number,
): Promise<number | null> {
	if (storage.state === "deleting") return 0;
	if (filterParams({ ...filter, order: "desc" }).size === 0) return await store.countListed(storage.pk, clock.now());
	if (lookedMax !== undefined) return (await store.countAmong(storage.pk, filter, lookedMax, clock.now())) ?? null;
	const counted = await store.count(storage.pk, filter, TOTAL_MAX + 1, clock.now());
	return counted > TOTAL_MAX ? null : counted;
}
