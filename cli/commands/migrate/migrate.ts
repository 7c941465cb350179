import { join, resolve } from "node:path";
import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import { type CameFile, isCameFile, openCameFile } from "@svc/migrate/came-file";
import { openMissingFile } from "@svc/migrate/missing-file";
import type { Ready } from "@svc/migrate/move";
import { type Parcel, parcelsOf } from "@svc/migrate/parcels";
import { openSource } from "@svc/migrate/sources/open-source";
import type { ImageSource, Pairs } from "@svc/migrate/sources/source";
import { fileAt } from "@svc/migrate/sources/source-calls";
import type { Client } from "@svc/sdk/client";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { exitOf, nextStep } from "../../kit/refusal.ts";
import { readPairs } from "../images/create-fields.ts";
import { SUMMARIES } from "../summaries.ts";
import { runMigration } from "./run-migration.ts";
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
		from: takes.word("Manifest, or the name of a place", "file"),
		prefix: takes.text("Only what has a name that begins so", "text"),
		limit: takes.text("Bring so many at the most, and go on next time", "number"),
		label: takes.text("Label that each of them gets", "key=value"),
		"public-url": takes.text("Where a bucket's files are for everybody; the service then fetches them itself", "url"),
		endpoint: takes.text("Address of its interface, where it is not the usual one", "url"),
		download: takes.flag("Fetch all from here, for addresses that the service cannot reach"),
		came: takes.text("What has come; default: the collection's name, .came.jsonl", "file"),
		report: takes.text("What did not come, and why; default: the collection's name, .missing.jsonl", "file"),
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
	readonly source: ImageSource;
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
		context,
		move: { context, client, hasImports, mayPass, onProgress: tally.progress },
		parcels: parcelsIn(wanted, context, { came, hasImports }),
		came,
		missing: await openMissingFile(wanted.missing, nextStep),
		tally,
		paths: wanted,
	});
}

/** Whether the service may answer a while later. */
function mayPass(error: unknown): boolean {
	return (error instanceof ApiError || error instanceof ConnectionError) && exitOf(error) === EXIT.later;
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

function pathFor(
	{ name, path }: ImageSource,
	given: string | undefined,
	kind: "came" | "missing",
	cwd: string,
): string {
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
