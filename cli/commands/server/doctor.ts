import { EXIT, LocalError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import type { Column } from "../../kit/output/table.ts";
import { planAll } from "../../kit/planning.ts";
import { type Check, failedWith, passed, skipped } from "./checks.ts";
import { serviceAddress } from "./probe.ts";
import { checkReach } from "./reach.ts";
import { checkPicture } from "./round-trip.ts";

const MARKS = { ok: "✓", failed: "✗", skipped: "–" } as const;

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Check>[] = [
	{ name: "ok", value: ({ state }) => MARKS[state] },
	{ name: "check", value: ({ name }) => name },
	{ name: "detail", value: ({ detail }) => detail },
	{ name: "remedy", value: ({ remedy }) => remedy, hidden: true },
];

const NEEDS_KEY = ["upload", "read", "transform", "delete"];

interface KeyCheck {
	readonly check: Check;
	readonly canWrite: boolean;
}

export const doctor = defineCommand({
	summary: "Check the service from here, and tell what to mend",
	notes:
		"Address, TLS, clock, readiness of database and store, the admin address of a database server, the key, and a picture that is read and transformed: the newest one, or where\n" +
		"there is none, or with --upload, a tiny one that is uploaded and deleted, which counts as an upload of the month.\n" +
		"Exit 1 when anything fails. A pipe gets: mark, check, detail, remedy.",
	examples: ["svc server doctor", "svc server doctor --upload --profile work"],
	args: { upload: takes.flag("Upload a tiny picture and delete it again") },
	async run({ args }, context) {
		const { globals, out, process } = context;
		if (globals.dryRun) {
			for await (const _ of examine(context, args.upload === true));
			await planAll(context, []);
		}
		const broken: Check[] = [];
		await out.rows(COLUMNS, counting(examine(context, args.upload === true), broken));
		if (broken.length === 0) return EXIT.ok;
		if (!out.isJson) {
			for (const { name, remedy } of broken) await process.err.write(`${printableLine(`${name}: ${remedy ?? ""}`)}\n`);
			return EXIT.failed;
		}
		throw new LocalError(`${broken.length} checks failed.`, undefined, EXIT.failed);
	},
});

async function* counting(checks: AsyncIterable<Check>, broken: Check[]): AsyncGenerator<Check> {
	for await (const check of checks) {
		if (check.state === "failed") broken.push(check);
		yield check;
	}
}

async function* examine(context: Context, uploads: boolean): AsyncGenerator<Check> {
	const { baseUrl, hasKey } = await serviceAddress(context, undefined);
	const reach = await checkReach(context, baseUrl);
	yield* reach.checks;
	const without = (reason: string) => NEEDS_KEY.map((name) => skipped(name, reason));
	if (!reach.answers)
		return yield* [skipped("key", "the service was not reached"), ...without("the service was not reached")];
	if (!hasKey) return yield* [skipped("key", "there is none: svc login"), ...without("there is no key")];
	const { check, canWrite } = await checkKey(context);
	yield check;
	if (canWrite) yield* await checkPicture(context, await context.client(), uploads);
	else yield* without(check.state === "ok" ? "nothing may be written with it" : "the key does not work");
}

/** Checks the profile's secret: a key is asked for its permissions, a person for their account. */
async function checkKey(context: Context): Promise<KeyCheck> {
	const { client, credentials, globals, management, process } = context;
	const { signal } = process;
	try {
		const { apiKey, app } = await credentials();
		if (apiKey !== undefined) {
			const key = await (await client()).key.get({ signal });
			const detail = `${key.prefix}…${key.last4}, ${key.permissions.join("+")}, App ${key.app.id}`;
			return { check: passed("key", detail), canWrite: key.permissions.includes("write") };
		}
		const { email } = await (await management()).me.get({ signal });
		return { check: passed("key", `signed in as ${email}`), canWrite: (globals.app ?? app) !== undefined };
	} catch (error) {
		signal.throwIfAborted();
		return { check: failedWith("key", error), canWrite: false };
	}
}
