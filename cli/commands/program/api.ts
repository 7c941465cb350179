import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { defineCommand } from "../../kit/command.ts";
import { didYouMean } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import type { Process } from "../../kit/process.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { readPairs } from "../images/create-fields.ts";
import { SUMMARIES } from "../summaries.ts";

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

const ADVICE: Advice = { not_found: "Check the path and the ids in it: /openapi.json of the service has every path." };

export const api = defineCommand({
	summary: SUMMARIES.api,
	notes: "The answer is printed as JSON; -o jsonl prints a list's items, one on each line.",
	examples: [
		"svc api GET /v1/usage",
		"svc api GET /v1/images --query limit=2 -o jsonl",
		"svc api GET /v1/apps",
		`svc api PATCH /v1/images/img_1 --data '{"caption":"A_cat"}'`,
	],
	args: {
		method: takes.word(METHODS.join(", ")),
		path: takes.word("From /v1 on"),
		data: takes.text("JSON body; @file reads a file, @- standard input", "json"),
		query: takes.text("Query parameter", "key=value"),
		"idempotency-key": takes.text("Makes a POST safe to repeat", "key"),
	},
	repeatable: ["query"],
	async run({ args, all }, { client, personClient, out, process }) {
		const method = readMethod(args.method);
		checkPath(args.path);
		const query = readPairs("query", all("query"));
		const body = await readBody(process, args.data);
		let status = 0;
		const caller = await (isForKeys(args.path) ? client() : personClient());
		const answer = await advising(ADVICE, () =>
			caller.request(method, args.path, {
				query,
				body,
				idempotencyKey: args["idempotency-key"],
				signal: process.signal,
				onAnswer: (answered) => {
					status = answered.status;
				},
			}),
		);
		if (answer !== "") await out.document(answer);
		return status === 207 ? EXIT.partly : EXIT.ok;
	},
});

function readMethod(word: string): string {
	const method = word.toUpperCase();
	if (METHODS.includes(method)) return method;
	throw new UsageError(`"${word}" is no method.${didYouMean(method, METHODS)}`, "svc api --help");
}

function checkPath(path: string): void {
	if (path.startsWith("/")) return;
	throw new UsageError(
		`The path begins with a slash: /v1/…; not "${path}".`,
		"The address comes from the profile or SVC_BASE_URL.",
	);
}

/** @throws UsageError for anything but JSON; an empty standard input is an error, not an empty body. */
async function readBody(process: Process, source: string | undefined): Promise<unknown> {
	if (source === undefined) return undefined;
	try {
		return JSON.parse(await readText(process, source));
	} catch (error) {
		if (error instanceof LocalError) throw error;
		throw new UsageError("--data is not JSON.", `--data '{"caption": "A cat"}', --data @file or --data @-`);
	}
}

async function readText(process: Process, source: string): Promise<string> {
	if (!source.startsWith("@")) return source;
	if (source === "@-") return process.readInput();
	return readFile(resolve(process.cwd, source.slice(1)), "utf8").catch(() => {
		throw new LocalError(`${source.slice(1)} cannot be read.`, "Check the path.");
	});
}

/** Whether a call is an App's own, made with its key; everything else is made by a person. */
/** Calls about what an App keeps: with its key, or as a person who names the App. All others are a person's own. */
export function isForKeys(path: string): boolean {
	return /^\/v1\/(images|labels|upload_tickets|imports|events|usage|users|key|auth|billing)(?![^/?])/.test(path);
}
