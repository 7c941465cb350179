import type { ManagedKey } from "@svc/sdk/shapes";
import type { WithSecret } from "@svc/sdk/types";
import { type Handover, say } from "../../handover/handover.ts";
import type { Context } from "../../kit/command.ts";
import type { ChosenApp } from "../../kit/context.ts";
import { advising, Interrupted, LocalError } from "../../kit/exit.ts";
import { report } from "../../kit/report.ts";
import { KEY_ADVICE } from "./columns.ts";

interface NewKeyRequest {
	/** It does not get the signal: after an interruption in the middle, it would not be known whether there is a key. */
	make(): Promise<ManagedKey & WithSecret>;
	readonly handover: Handover<ManagedKey>;
	/** What has to be true of the new key besides. */
	check?(made: ManagedKey & WithSecret): Promise<void>;
	/** Said of what is left when the new key was taken back; as "key_1 works on". */
	readonly kept?: string;
}

/**
 * Makes a key and hands its secret over. When that fails, or Ctrl-C comes in between, the new key is revoked.
 * @throws LocalError
 */
export async function makeKey(
	plan: NewKeyRequest,
	team: ChosenApp,
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
		return await takeBack(plan, made, error, team, context);
	}
	return made;
}

/** Revokes a key whose secret was not handed over, or that does not work. */
async function takeBack(
	plan: NewKeyRequest,
	made: ManagedKey,
	error: unknown,
	team: ChosenApp,
	context: Context,
): Promise<never> {
	const revoked = await revoke(team, made.id, context);
	await plan.handover.discard().catch(() => undefined);
	const kept = plan.kept === undefined ? "" : ` ${plan.kept}.`;
	const done = revoked ? `${made.id} was revoked.${kept}` : `${made.id} is still there.${kept}`;
	if (context.process.signal.aborted) {
		await say(context, done);
		throw new Interrupted();
	}
	const next = revoked ? "Run the same command again once that is mended." : `svc keys revoke ${made.id}`;
	throw new LocalError(`${reasonOf(error)} ${done}`, next);
}

async function revoke({ app }: ChosenApp, id: string, context: Context): Promise<boolean> {
	try {
		await app.keys.revoke(id);
		return true;
	} catch (error) {
		const { out, globals, process } = context;
		const item = `${id} could not be revoked`;
		await report(process, error, { json: out.isJson, verbose: globals.verbose, item, next: `svc keys revoke ${id}` });
		return false;
	}
}

function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
