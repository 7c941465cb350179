import { createHmac, randomBytes } from "node:crypto";
import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import { EVENT } from "@svc/nouns/event";
import type { Event } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { printAsTheyCome, readEnd } from "../../kit/work/as-they-come.ts";
import { isWatched } from "../../kit/work/progress.ts";
import { SUMMARIES } from "../summaries.ts";

/** What was sent, after a first row that holds the secret. */
interface Sent {
	readonly at: string;
	readonly type: string;
	readonly answer: string | null;
	readonly event: string | null;
}

const SENT_COLUMNS: readonly Column<Sent>[] = fields("at", "type", "answer", "event");

const PAGE = 100;
const FEED_ARGS = {
	types: takes.text("Only these", "image.*,key.created"),
	image: takes.text("Only about this image", "id"),
	after: takes.text("Go on behind this event", "id"),
	limit: takes.text("End after this many", "n"),
} as const;

interface FeedArgs {
	readonly types?: string | undefined;
	readonly image?: string | undefined;
	readonly after?: string | undefined;
	readonly limit?: string | undefined;
}

const FOLLOWING = "from now on, or behind --after";

const list = defineCommand({
	summary: "List what happened to an App, oldest first; --follow goes on as it happens",
	notes: `For an App-wide key, or for you with --app. svc events alone means this. --follow begins with what happens\n${FOLLOWING}. ${pipeNote(EVENT.list)}`,
	examples: ["svc events list --limit 2", "svc events list --types image.deleted --limit 1 -o jsonl"],
	args: { ...FEED_ARGS, follow: takes.flag("Wait for more; Ctrl-C ends it") },
	async run({ args }, context) {
		if (args.follow === true) return await follow(args, context);
		await context.out.rows(EVENT.list, feedOf(args, false, context));
		return EXIT.ok;
	},
});

const tail = defineCommand({
	summary: "Follow what happens to an App; Ctrl-C ends it",
	notes: `For an App-wide key, or for you with --app. Begins with what happens ${FOLLOWING}.\n${pipeNote(EVENT.list)}`,
	examples: ["svc events tail --limit 1", "svc events tail --types 'image.*' --limit 1 -o jsonl"],
	args: FEED_ARGS,
	run: ({ args }, context) => follow(args, context),
});

export const EVENT_COMMANDS = { list, tail };

async function follow(args: FeedArgs, context: Context): Promise<ExitCode> {
	if (isWatched(context)) await context.out.note("Waiting for what happens; Ctrl-C ends it.");
	await printAsTheyCome(EVENT.list, feedOf(args, true, context), context);
	return EXIT.ok;
}

const SECRET_BYTES = 32;
const DEADLINE_MS = 15_000;

export const listen = defineCommand({
	summary: SUMMARIES.listen,
	notes:
		"Reads the feed: it needs no webhook endpoint and no way in from outside. The secret is the same at each start, for one App and one key or person.\n" +
		"Begins with what happens from now on, or behind --after. Nothing is sent twice: what your program refuses is shown.",
	examples: [
		"svc listen --forward-to http://localhost:8080/hooks --limit 1",
		"svc listen --forward-to http://localhost:8080/hooks --types 'image.*' --limit 1",
	],
	args: {
		"forward-to": takes.text("Where events are posted", "url"),
		...FEED_ARGS,
	},
	async run({ args }, context) {
		const { process } = context;
		const to = readTarget(args["forward-to"]);
		const key = await keptKey(context);
		const sent = forwardEach(feedOf(args, true, context), (event) => forward(event, to, key, context));
		const secret = `whsec_${key.toString("base64")}`;
		await printAsTheyCome(SENT_COLUMNS, startedWith({ at: process.date().toISOString(), secret }, sent), context);
	},
});

/**
 * What events are signed with: the same at each start for one App and one credential of this machine, so that a program that knows it need not be
 * started anew. It is made of the credential by a one-way function, and lies nowhere.
 */
async function keptKey(context: Context): Promise<Buffer> {
	const { apiKey, token } = await context.credentials();
	const credential = apiKey ?? token;
	if (credential === undefined) return randomBytes(SECRET_BYTES);
	const app = apiKey === undefined ? await context.appId() : (context.globals.app ?? "");
	return createHmac("sha256", credential).update(`svc listen ${app}`).digest().subarray(0, SECRET_BYTES);
}

async function* startedWith(
	{ at, secret }: { readonly at: string; readonly secret: string },
	sent: AsyncIterable<Sent>,
): AsyncGenerator<Sent, void, undefined> {
	yield { at, type: "secret", answer: secret, event: null };
	yield* sent;
}

async function* forwardEach(
	source: AsyncIterable<Event>,
	send: (event: Event) => Promise<string>,
): AsyncGenerator<Sent, void, undefined> {
	for await (const event of source) {
		yield { at: event.created_at, type: event.type, answer: await send(event), event: event.id };
	}
}

async function* feedOf(
	{ types, image, after, limit }: FeedArgs,
	isFollowed: boolean,
	{ client, process }: Context,
): AsyncGenerator<Event, void, undefined> {
	const { events: feed } = await client();
	const { signal } = process;
	const asked = { types: types?.split(","), image, signal };
	let left = readEnd(limit);
	const source = isFollowed ? feed.follow({ ...asked, after: after ?? (await newest()) }) : pages();
	for await (const event of source) {
		yield event;
		left -= 1;
		if (left <= 0) return;
	}

	async function newest(): Promise<string | undefined> {
		return (await feed.list({ limit: 1, signal })).latest ?? undefined;
	}

	async function* pages(): AsyncGenerator<Event, void, undefined> {
		let place = after;
		for (;;) {
			const { data, pagination } = await feed.list({ ...asked, after: place, limit: Math.min(left, PAGE) });
			yield* data;
			place = data.at(-1)?.id;
			if (!pagination.has_more || place === undefined) return;
		}
	}
}

/** What the program answered, or why it did not. */
async function forward(event: Event, to: string, key: Buffer, { process }: Context): Promise<string> {
	const body = JSON.stringify(event);
	const seconds = Math.floor(process.date().getTime() / 1_000);
	const signature = createHmac("sha256", key).update(`${event.id}.${seconds}.${body}`).digest("base64");
	const headers = {
		"Content-Type": "application/json",
		"webhook-id": event.id,
		"webhook-timestamp": String(seconds),
		"webhook-signature": `v1,${signature}`,
	};
	const signal = AbortSignal.any([process.signal, AbortSignal.timeout(DEADLINE_MS)]);
	try {
		const answer = await process.fetch(to, { method: "POST", headers, body, signal, redirect: "manual" });
		await answer.body?.cancel();
		return String(answer.status);
	} catch (error) {
		return `no answer: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** @throws UsageError */
function readTarget(sent: string | undefined): string {
	const url = sent === undefined ? null : URL.parse(sent);
	if (url !== null && ["http:", "https:"].includes(url.protocol)) return url.href;
	throw new UsageError("--forward-to takes an http or https address, as http://localhost:8080/hooks.");
}
