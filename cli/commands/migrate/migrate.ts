import { join, resolve } from "node:path";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, type ExitCode, UsageError } from "../../kit/exit.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { readPairs } from "../images/create-fields.ts";
import { SUMMARIES } from "../summaries.ts";
import { type CameFile, isCameFile, openCameFile } from "./came-file.ts";
import { openMissingFile } from "./missing-file.ts";
import type { Ready } from "./move.ts";
import { type Parcel, parcelsOf } from "./parcels.ts";
import { runMigration } from "./run-migration.ts";
import { openSource } from "./sources/open-source.ts";
import type { Pairs, Source } from "./sources/source.ts";
import { fileAt } from "./sources/source-calls.ts";
import { openTally } from "./tally.ts";

interface Planned {
	readonly line: number;
	readonly address: string;
	readonly idempotency_key: string;
	readonly external_id: string;
	/** Who fetches it: the service, or this command. */
	readonly by: "service" | "command";
}

const PLAN_COLUMNS: readonly Column<Planned>[] = [...fields("line", "address", "idempotency_key", "external_id", "by")];

export const migrate = defineCommand({
	summary: SUMMARIES.migrate,
	notes:
		"From a manifest: one picture a line, JSON objects with address, date, caption, ttl, external_id, labels and metadata (and visibility,\n" +
		"for older interfaces), or CSV with a header of these names, and a column for each label (label.album) and metadata entry.\n" +
		"From another place, with the keys that its own tools read from the environment:\n" +
		"  s3://bucket/prefix  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION\n" +
		"  cloudinary          CLOUDINARY_URL\n" +
		"  cloudflare-images   CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID\n" +
		"  supabase:bucket     SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY\n" +
		"  uploadcare          UPLOADCARE_PUBLIC_KEY, UPLOADCARE_SECRET_KEY\n" +
		"Run it again as often as it takes: what has come is listed in a file, old address and new, and does not come twice.\n" +
		"What does not come is listed in another file with the reason.",
	examples: [
		"svc migrate collection.jsonl",
		"svc migrate collection.csv --user usr_1",
		"svc migrate s3://holiday-pictures/2019/ --label album=holidays",
		"svc migrate s3://holiday-pictures --public-url https://pics.example.com",
		"svc migrate cloudinary --prefix products/",
		"svc migrate cloudflare-images --limit 100",
		"svc migrate supabase:avatars",
		"svc migrate uploadcare --report missing.jsonl",
	],
	args: {
		from: { type: "positional", required: true, valueHint: "file", description: "Manifest, or the name of a place" },
		prefix: { type: "string", valueHint: "text", description: "Only what has a name that begins so" },
		limit: { type: "string", valueHint: "number", description: "Bring so many at the most, and go on next time" },
		label: { type: "string", valueHint: "key=value", description: "Label that each of them gets" },
		"public-url": {
			type: "string",
			valueHint: "url",
			description: "Where a bucket's files are for everybody; the service then fetches them itself",
		},
		endpoint: {
			type: "string",
			valueHint: "url",
			description: "Address of its interface, where it is not the usual one",
		},
		download: {
			type: "boolean",
			description: "Fetch all from here, for addresses that the service cannot reach",
		},
		came: {
			type: "string",
			valueHint: "file",
			description: "What has come; default: the collection's name, .came.jsonl",
		},
		report: {
			type: "string",
			valueHint: "file",
			description: "What did not come, and why; default: the collection's name, .missing.jsonl",
		},
	},
	repeatable: ["label"],
	async run({ args, all }, context) {
		const { env, cwd, fetch } = context.process;
		const tell = (text: string) => void (context.out.isJson ? undefined : context.out.note(text));
		const { from, prefix, endpoint, "public-url": publicUrl } = args;
		const source = await openSource({ from, prefix, endpoint, publicUrl, env, cwd, fetch, tell });
		const wanted: Wanted = {
			source,
			limit: readLimit(args.limit),
			labels: readPairs("label", all("label")) ?? {},
			open: args.download ? (url, signal) => fileAt({ fetch, tell }, url, signal) : undefined,
			came: pathFor(source, args.came, "came", cwd),
			missing: pathFor(source, args.report, "missing", cwd),
		};
		if (await isCameFile(wanted.missing)) {
			throw new UsageError(`${wanted.missing} says what has come: it is not written over.`, "Name it with --came.");
		}
		return await (context.globals.dryRun ? plan(wanted, context) : bring(wanted, context));
	},
});

interface Wanted {
	readonly source: Source;
	readonly limit: number;
	readonly labels: Pairs;
	readonly open: Parameters<typeof parcelsOf>[0]["open"];
	/** Paths of the two lists. */
	readonly came: string;
	readonly missing: string;
}

async function bring(wanted: Wanted, context: Context): Promise<ExitCode> {
	const client = await context.client();
	const hasImports = await takesImports(client, context);
	const came = await openCameFile(wanted.came, await serviceName(context));
	const tally = openTally(context);
	return await runMigration({
		move: { context, client, hasImports, onProgress: tally.progress },
		parcels: parcelsIn(wanted, context, { came, hasImports }),
		came,
		missing: await openMissingFile(wanted.missing),
		tally,
		paths: wanted,
	});
}

/** Without asking the service for anything: it may be that there is none yet. */
async function plan(wanted: Wanted, context: Context): Promise<ExitCode> {
	const came = await openCameFile(wanted.came, await serviceName(context).catch(() => ""));
	await context.out.note("Nothing is sent. This would be brought:");
	await context.out.rows(PLAN_COLUMNS, planned(parcelsIn(wanted, context, { came, hasImports: true })));
	return EXIT.ok;
}

function parcelsIn(
	{ source, limit, labels, open }: Wanted,
	{ globals: { app, user }, process: { signal } }: Context,
	known: { readonly came: CameFile; readonly hasImports: boolean },
): AsyncGenerator<Parcel, void, undefined> {
	return parcelsOf({ source, limit, labels, open, app, user, signal, ...known });
}

function readLimit(text: string | undefined): number {
	if (text === undefined) return Number.POSITIVE_INFINITY;
	if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
	throw new UsageError(`--limit takes a number of pictures; not "${text}".`);
}

function pathFor({ name, path }: Source, given: string | undefined, kind: "came" | "missing", cwd: string): string {
	if (given !== undefined) return resolve(cwd, given);
	return `${path ?? join(cwd, name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^-+|-+$/g, ""))}.${kind}.jsonl`;
}

/** What pictures come to. */
async function serviceName(context: Context): Promise<string> {
	const { baseUrl } = await context.credentials();
	return `${baseUrl} ${await context.appId()}`;
}

/** Older interfaces have no imports. */
async function takesImports({ imports }: Client, { process }: Context): Promise<boolean> {
	try {
		await imports.list({ limit: 1, signal: process.signal });
		return true;
	} catch (error) {
		if (error instanceof ApiError && error.code === "not_found") return false;
		throw error;
	}
}

async function* planned(parcels: AsyncIterable<Parcel>): AsyncGenerator<Planned, void, undefined> {
	for await (const parcel of parcels) {
		if (parcel.kind === "broken") throw parcel.error;
		const pictures = parcel.kind === "addresses" ? parcel.pictures : parcel.kind === "one" ? [parcel.picture] : [];
		yield* pictures.map(plannedAs);
	}
}

function plannedAs({ line, address, key, externalId, download }: Ready): Planned {
	const by = download ? "command" : "service";
	return { line, address, idempotency_key: key, external_id: externalId, by };
}
