import { LocalError } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import type { Image, ImportItem, Job } from "@svc/sdk/shapes";
import type { Answer } from "@svc/sdk/wire/request";
import { wait } from "@svc/sdk/wire/retry";
import { bodyOf, cameAs, failed, keyOf, type Move, type MoveOutcome, type Ready } from "./move.ts";
import { patiently } from "./patience.ts";
import { isTaken, judgeTaken } from "./there-already.ts";

/*
 * Addresses that the service fetches itself, up to a thousand in one call. The call has a key made of what it asks for: whoever was killed
 * and asks again meets the import that runs already.
 */

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 2_000;
/** Until it is asked again whether the App may have one more import. */
const FULL_MS = 3_000;
const PAGE = 100;

interface Started {
	readonly job: Job;
	/** False where an earlier run had asked for it, and it is over: then what failed in it has not been tried now. */
	readonly isNew: boolean;
}

/** @throws what every other chunk would meet as well */
export async function importChunk(move: Move, chunk: readonly Ready[]): Promise<readonly MoveOutcome[]> {
	const outcomes: MoveOutcome[] = [];
	let left = chunk;
	for (let generation = 0; left.length > 0; generation++) {
		const { started, accepted, refused } = await start(move, left, generation);
		outcomes.push(...refused);
		if (!started) break;
		const became = await outcomesOf(move, await finished(move, started.job), accepted);
		const missing = new Set(
			started.isNew ? [] : became.flatMap((one) => (one.outcome.state === "missing" ? [one.picture] : [])),
		);
		outcomes.push(...became.flatMap(({ picture, outcome }) => (missing.has(picture) ? [] : [outcome])));
		left = [...missing];
	}
	return outcomes.toSorted((one, other) => lineOf(one) - lineOf(other));
}

function lineOf(outcome: MoveOutcome): number {
	return outcome.state === "came" ? outcome.came.line : outcome.missing.line;
}

interface Asked {
	/** Undefined where nothing was left to ask for. */
	readonly started: Started | undefined;
	readonly accepted: readonly Ready[];
	readonly refused: readonly MoveOutcome[];
}

/** Takes out what the service will not have, so that it does not keep the others from coming. */
async function start(move: Move, pictures: readonly Ready[], generation: number): Promise<Asked> {
	const refused: MoveOutcome[] = [];
	let accepted = pictures;
	while (accepted.length > 0) {
		try {
			return { started: await startWhenFree(move, accepted, generation), accepted, refused };
		} catch (error) {
			const faults = faultsIn(error);
			if (faults.size === 0) throw error;
			for (const [place, fault] of faults)
				refused.push(...accepted.slice(place, place + 1).map((one) => failed(one, fault)));
			accepted = accepted.filter((_, place) => !faults.has(place));
		}
	}
	return { started: undefined, accepted, refused };
}

/** Waits as long as the App has as many imports as it may have. */
async function startWhenFree(move: Move, pictures: readonly Ready[], generation: number): Promise<Started> {
	const { signal } = move.context.process;
	for (;;) {
		try {
			return await patiently(move, () => ask(move, pictures, generation));
		} catch (error) {
			if (!isFull(error)) throw error;
			await wait(FULL_MS, signal);
		}
	}
}

async function ask(move: Move, pictures: readonly Ready[], generation: number): Promise<Started> {
	const { client, context } = move;
	const { signal } = context.process;
	let replayed = false;
	const body = { items: pictures.map((picture) => ({ url: picture.address, ...bodyOf(picture, move) })) };
	const { app, user } = context.globals;
	const job = await client.request<Job>("POST", "/v1/imports", {
		body,
		idempotencyKey: keyOf([body, app, user, generation]),
		onAnswer: ({ headers }: Answer) => {
			replayed = headers.get("idempotent-replayed") === "true";
		},
		signal,
	});
	const isNew = !replayed || !isOver(await client.imports.get(job.id, { signal }));
	return { job, isNew };
}

function isFull(error: unknown): boolean {
	return error instanceof ApiError && error.code === "validation_error" && error.details?.items !== undefined;
}

/** What is wrong with which of them. */
function faultsIn(error: unknown): ReadonlyMap<number, ApiError> {
	const faults = new Map<number, Record<string, readonly string[]>>();
	if (!(error instanceof ApiError) || error.code !== "validation_error") return new Map();
	for (const [name, messages] of Object.entries(error.details ?? {})) {
		const [, place, field = "item"] = /^items\[(\d+)\](?:\.(.+))?$/.exec(name) ?? [];
		if (place !== undefined) faults.set(Number(place), { ...faults.get(Number(place)), [field]: [messages].flat() });
	}
	const { status, code, type, message, requestId } = error;
	const alone = (details: Record<string, readonly string[]>) =>
		new ApiError(status, { code, type, message, details } as ConstructorParameters<typeof ApiError>[1], { requestId });
	return new Map([...faults].map(([place, details]) => [place, alone(details)] as const));
}

async function finished(move: Move, started: Job): Promise<Job> {
	const { client, context, onProgress } = move;
	const { signal } = context.process;
	let job = started;
	for (let pauseMs = FIRST_POLL_MS; !isOver(job); pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * 2)) {
		await onProgress(job.id, job.done);
		await wait(pauseMs, signal);
		job = await patiently(move, () => client.imports.get(started.id, { signal }));
	}
	await onProgress(job.id, 0);
	return job;
}

function isOver({ state }: Job): boolean {
	return state === "done" || state === "failed";
}

interface Became {
	readonly picture: Ready;
	readonly outcome: MoveOutcome;
}

async function outcomesOf(move: Move, job: Job, pictures: readonly Ready[]): Promise<readonly Became[]> {
	const { client, context } = move;
	const { signal } = context.process;
	const became: Became[] = [];
	let cursor: string | undefined;
	do {
		const page = await patiently(move, () => client.imports.items(job.id).list({ limit: PAGE, cursor, signal }));
		const images = await imagesOf(move, page.data);
		for (const item of page.data) {
			const picture = pictures[item.index];
			if (picture) became.push({ picture, outcome: await outcomeOf(move, picture, { job, item, images }) });
		}
		cursor = page.pagination.next_cursor ?? undefined;
	} while (cursor !== undefined);
	const seen = new Set(became.map(({ picture }) => picture));
	const unseen = pictures.filter((picture) => !seen.has(picture));
	return [...became, ...unseen.map((picture) => ({ picture, outcome: failed(picture, notMade(job, undefined)) }))];
}

async function imagesOf(move: Move, items: readonly ImportItem[]): Promise<ReadonlyMap<string, Image>> {
	const { client, context } = move;
	const { signal } = context.process;
	const ids = items.flatMap(({ image_id: id }) => id ?? []);
	if (ids.length === 0) return new Map();
	const page = await patiently(move, () => client.images.list({ ids, limit: PAGE, signal }));
	return new Map(page.data.map((image) => [image.id, image]));
}

interface Found {
	readonly job: Job;
	readonly item: ImportItem;
	readonly images: ReadonlyMap<string, Image>;
}

async function outcomeOf(move: Move, picture: Ready, { job, item, images }: Found): Promise<MoveOutcome> {
	const { state, image_id: id, error } = item;
	if (state === "created" && id !== null) return cameAs(picture, "came", images.get(id) ?? { id, url: null }, move);
	// Status 0: the service said it in a list, and not as an answer of its own.
	const said = error === null ? notMade(job, state) : new ApiError(0, error);
	return isTaken(said) ? await judgeTaken(move, picture, said) : failed(picture, said);
}

function notMade({ id, failure }: Job, state: string | undefined): LocalError {
	const why = state === "cancelled" ? "was cancelled" : `ended without it: ${failure ?? "no reason given"}`;
	return new LocalError(`The import ${id} ${why}.`, "Run the same command again.");
}
