import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Image } from "@svc/sdk/shapes";
import { runBatch } from "../../kit/batch.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, LocalError } from "../../kit/exit.ts";
import { startProgress } from "../../kit/progress.ts";
import { type Column, fields } from "../../kit/table.ts";
import { type ManifestLine, readManifest } from "./manifest.ts";

interface Came {
	readonly line: number;
	readonly address: string;
	readonly id: string;
	readonly url: string;
}

const CAME_COLUMNS: readonly Column<Came>[] = [...fields("line", "address", "id", "url")];

interface Planned {
	readonly line: number;
	readonly address: string;
	readonly idempotency_key: string;
}

const PLAN_COLUMNS: readonly Column<Planned>[] = [...fields("line", "address", "idempotency_key")];

export const migrate = defineCommand({
	summary: "Bring a collection of images from another service, by a manifest",
	notes:
		"The manifest has one picture a line: JSON objects with address, date, caption, ttl, visibility, labels and metadata, or CSV with a\n" +
		"header of the same names, and a column for each label (label.album) and metadata entry (metadata.author).\n" +
		"Run it again as often as it takes: what has come is in the report beside the manifest and does not come twice.\n" +
		"What does not come is named with its line and the reason.",
	examples: ["svc migrate collection.jsonl", "svc migrate collection.csv --user usr_1"],
	args: {
		manifest: { type: "positional", required: true, valueHint: "file", description: "Manifest, JSON lines or CSV" },
		report: {
			type: "string",
			valueHint: "file",
			description: "What has come; default: the manifest's name and .came.jsonl",
		},
	},
	async run({ args }, context) {
		const { cwd } = context.process;
		const path = resolve(cwd, args.manifest);
		const report = args.report === undefined ? `${path}.came.jsonl` : resolve(cwd, args.report);
		const text = await readFile(path, "utf8").catch(() => {
			throw new LocalError("The manifest cannot be read.", "Check the path.");
		});
		const came = await readReport(report);
		const items = readManifest(text).filter((one) => !came.has(keyOf(one, context)));
		if (context.globals.dryRun) return await plan(items, context);
		const exit = await bring(items, report, context);
		if (exit === EXIT.partly)
			await context.out.note("Run the same command again for those that failed; nothing comes twice.");
		return exit;
	},
});

/** Keys of lines that have come: the service knows each for a day, the report for good. */
async function readReport(path: string): Promise<ReadonlySet<string>> {
	const text = await readFile(path, "utf8").catch(() => "");
	const keys = text.split("\n").flatMap((line) => {
		// The last line may have been cut off.
		const [, key] = /"idempotency_key":"([\w-]+)"\}$/.exec(line) ?? [];
		return key === undefined ? [] : [key];
	});
	return new Set(keys);
}

async function plan(items: readonly ManifestLine[], context: Context) {
	const work = async (one: ManifestLine): Promise<Planned> => ({
		line: one.line,
		address: one.address,
		idempotency_key: keyOf(one, context),
	});
	await context.out.note("Nothing is sent. This would be brought:");
	return await runBatch({ items, name, work, columns: PLAN_COLUMNS }, context);
}

async function bring(items: readonly ManifestLine[], report: string, context: Context) {
	const client = await context.client();
	const progress = startProgress(context, items.length);
	const work = async (one: ManifestLine): Promise<Came> => {
		try {
			const { id, url } = await importOne(client, one, context);
			const came = { line: one.line, address: one.address, id, url };
			await appendFile(report, `${JSON.stringify({ ...came, idempotency_key: keyOf(one, context) })}\n`);
			return came;
		} finally {
			await progress.advance(0);
		}
	};
	return await runBatch({ items, name, work, columns: CAME_COLUMNS, beforeOutput: progress.clear }, context);
}

function name({ line, address }: ManifestLine): string {
	return `line ${line}, ${address}`;
}

async function importOne(client: Client, one: ManifestLine, context: Context): Promise<Image> {
	const { address, date, caption, ttl, visibility, labels, metadata } = one;
	const body = {
		...{ url: address, caption, ttl, published_at: date, labels, metadata },
		...(visibility !== undefined && { public: visibility === "public" }),
	};
	const { signal } = context.process;
	try {
		return await client.request<Image>("POST", "/v1/images", { body, idempotencyKey: keyOf(one, context), signal });
	} catch (error) {
		// It came within a day and was deleted since: who took it away wants it so.
		if (error instanceof ApiError && error.code === "idempotency_recovery_conflict") {
			throw new LocalError("It came before and was deleted since.", "Change its line to bring it again.");
		}
		throw error;
	}
}

/** The same line into the same storage always has the same key, wherever in the manifest it stands. */
function keyOf({ line: _, ...content }: ManifestLine, { globals }: Context): string {
	const sorted = (map: Readonly<Record<string, string>>) =>
		Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
	const { address, date, caption, ttl, visibility, labels, metadata } = content;
	const parts = [address, date, caption, ttl, visibility, sorted(labels), sorted(metadata), globals.app, globals.user];
	const text = JSON.stringify(parts.map((part) => part ?? null));
	return `svc-migrate-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}
