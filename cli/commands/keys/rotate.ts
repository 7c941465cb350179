import { EXIT, type ExitCode, Interrupted, LocalError, UsageError } from "@svc/base/processes/exit";
import { KEY } from "@svc/nouns/key";
import { ConnectionError } from "@svc/sdk/failure";
import type { ManagedKey } from "@svc/sdk/shapes";
import type { WithSecret } from "@svc/sdk/types";
import { HANDOVER_ARGS, HANDOVER_NOTE, type Handover, openHandover, say } from "../../handover/handover.ts";
import { type Calls, type Context, defineCommand } from "../../kit/command.ts";
import { clientAs } from "../../kit/context.ts";
import * as takes from "../../kit/line/takes.ts";
import { planAll } from "../../kit/planning.ts";
import { advising } from "../../kit/refusal.ts";
import { report } from "../../kit/report.ts";
import { KEY_ADVICE, lastUse, reachText } from "./columns.ts";

export const rotate = defineCommand({
	summary: "Replace a key by a successor: hand the secret over, check it, then revoke the old one",
	notes:
		`${HANDOVER_NOTE},\n` +
		"without a line's end; whether the command keeps it is for its exit status to say. If the command fails, the check fails,\n" +
		"or Ctrl-C comes in between, the new key is revoked and the old one kept. Both work until the old one is revoked. Only the\n" +
		"person who made a key rotates it.",
	examples: [
		"svc keys rotate key_1",
		"svc keys rotate key_1 --exec 'vault kv put app/svc key=-' --revoke-old --yes",
		"svc keys rotate key_1 --field secret",
	],
	args: {
		id: takes.id("Key id"),
		...HANDOVER_ARGS,
		"revoke-old": takes.flag("Then revoke the old key; tells when it was used last, and asks"),
	},
	run: ({ args }, context) => rotateKey(args.id, { ...args, revoke: args["revoke-old"] === true }, context),
});

async function rotateKey(
	id: string,
	args: Parameters<typeof openHandover>[0] & { readonly revoke: boolean },
	context: Context,
): Promise<ExitCode> {
	const { globals, out, process } = context;
	const app = await context.app();
	const { keys } = app;
	if (args.revoke && !globals.dryRun) refuseSilence(context);
	const handover = await openHandover(args, KEY.detail, context);
	if (globals.dryRun) await out.note(`${handover.plan}, once there is a successor, and check that it works.`);
	await planAll(context, [() => keys.rotate(id), ...(args.revoke ? [() => keys.delete(id)] : [])]);
	const make = async () => makeTwin(app, await keys.get(id, { signal: process.signal }), context);
	const check = (made: ManagedKey & WithSecret) => checkWorks(made, context);
	const made = await makeKey({ make, handover, check, kept: `${id} works on` }, app, context);
	if (args.revoke) await advising(KEY_ADVICE, () => revokeOld(app, id, context));
	else await say(context, `${id} works on. Revoke it when nothing uses it any more: svc keys delete ${id}`);
	// Comes last: a closed output ends the program.
	await handover.show(made);
	return EXIT.ok;
}

/** The question comes at the end, but it is refused at the beginning: later there would be two keys and no decision. */
function refuseSilence({ globals, process }: Context): void {
	if (globals.yes || (process.canAsk && !globals.noInput)) return;
	throw new UsageError("--revoke-old asks before it revokes, and nobody can be asked.", "Add --yes.");
}

async function makeTwin(app: Calls<"app">, old: ManagedKey, context: Context): Promise<ManagedKey & WithSecret> {
	const made = await app.keys.rotate(old.id).catch((error: unknown) => findOrphan(app, old, error));
	await say(context, `Creating ${made.id}, a successor of ${old.id} (${reachText(made)})`);
	return made;
}

/** When the answer was lost, there may be a new key whose secret was lost with it. */
async function findOrphan(app: Calls<"app">, old: ManagedKey, error: unknown): Promise<never> {
	if (!(error instanceof ConnectionError)) throw error;
	const now = await app.keys.get(old.id).catch(() => undefined);
	const orphan = now?.replaced_by ?? null;
	if (orphan === null || orphan === old.replaced_by) throw error;
	throw new LocalError(
		`The answer was lost: there is ${orphan} now, and nobody has its secret. ${old.id} works on.`,
		`svc keys delete ${orphan}, then run the same command again.`,
	);
}

/** @throws LocalError naming the service's reason, when the new key does not work */
async function checkWorks({ id, secret }: ManagedKey & WithSecret, context: Context): Promise<void> {
	const { baseUrl } = await context.credentials();
	const client = await clientAs(context, { baseUrl, secret });
	try {
		// The user that --user names has nothing to do with the key.
		const seen = await client.key.get({ signal: context.process.signal, user: null });
		if (seen.id !== id) throw new LocalError(`The service takes its secret for that of ${seen.id}.`);
	} catch (error) {
		throw new LocalError(`${id} does not work: ${error instanceof Error ? error.message : "no reason given"}`);
	}
	await say(context, `Checked ${id}: ok`);
}

async function revokeOld(app: Calls<"app">, id: string, context: Context): Promise<void> {
	const { signal } = context.process;
	let revoked = false;
	try {
		const old = await app.keys.get(id, { signal });
		if (await mayRevoke(old, context)) {
			await app.keys.delete(id, { signal });
			revoked = true;
			await say(context, `Revoked ${id}, ${lastUse(old, context.process.date())}`);
		}
	} finally {
		if (!revoked) await say(context, `${id} works on. Revoke it with: svc keys delete ${id}`);
	}
}

/** Whether the old key may go now. Until here both work, and saying no leaves it so. */
async function mayRevoke(old: ManagedKey, context: Context): Promise<boolean> {
	const { globals, process } = context;
	if (globals.yes) return true;
	const answer = await process.ask(`Revoke ${old.id}, ${lastUse(old, process.date())}? [y/N] `);
	return /^y(es)?$/i.test(answer.trim());
}

interface NewKeyRequest {
	/** It does not get the signal: after an interruption in the middle, it would not be known whether there is a key. */
	make(): Promise<ManagedKey & WithSecret>;
	readonly handover: Handover<ManagedKey>;
	/** A further check of the new key. */
	check?(made: ManagedKey & WithSecret): Promise<void>;
	/** Names what is left when the new key was revoked, as "key_1 works on". */
	readonly kept?: string;
}

/**
 * Makes a key and hands its secret over. When that fails, or Ctrl-C comes in between, the new key is revoked.
 * @throws LocalError
 */
export async function makeKey(
	plan: NewKeyRequest,
	app: Calls<"app">,
	context: Context,
): Promise<ManagedKey & WithSecret> {
	const { signal } = context.process;
	const made = await advising(KEY_ADVICE, plan.make).catch(async (error: unknown) => {
		await plan.handover.discard().catch(() => undefined);
		throw error;
	});
	try {
		signal.throwIfAborted();
		await plan.handover.give(made);
		signal.throwIfAborted();
		await plan.check?.(made);
		signal.throwIfAborted();
	} catch (error) {
		return await takeBack(plan, made, error, app, context);
	}
	return made;
}

/** Revokes a key whose secret was not handed over, or that does not work. */
async function takeBack(
	plan: NewKeyRequest,
	made: ManagedKey,
	error: unknown,
	app: Calls<"app">,
	context: Context,
): Promise<never> {
	const revoked = await revoke(app, made.id, context);
	await plan.handover.discard().catch(() => undefined);
	const kept = plan.kept === undefined ? "" : ` ${plan.kept}.`;
	const done = revoked ? `${made.id} was revoked.${kept}` : `${made.id} is still there.${kept}`;
	if (context.process.signal.aborted) {
		await say(context, done);
		throw new Interrupted();
	}
	const next = revoked ? "Run the same command again once that is mended." : `svc keys delete ${made.id}`;
	throw new LocalError(`${reasonOf(error)} ${done}`, next);
}

async function revoke(app: Calls<"app">, id: string, context: Context): Promise<boolean> {
	try {
		await app.keys.delete(id);
		return true;
	} catch (error) {
		const { out, globals, process } = context;
		const item = `${id} could not be revoked`;
		await report(process, error, { json: out.isJson, verbose: globals.verbose, item, next: `svc keys delete ${id}` });
		return false;
	}
}

function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
