import type { ManagedKey, WithSecret } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { Interrupted, LocalError } from "../../exit.ts";
import { type Handover, say } from "../../handover.ts";
import type { Context } from "../../leaf.ts";
import { report } from "../../report.ts";
import type { Team } from "../../team.ts";
import { KEY_ADVICE } from "./advice.ts";

export interface NewKeyPlan {
	/** Not given the signal: who is interrupted while a key is being made could not tell whether there is one. */
	make(): Promise<ManagedKey & WithSecret>;
	readonly handover: Handover<ManagedKey>;
	/** What has to be true of the new key besides. */
	check?(made: ManagedKey & WithSecret): Promise<void>;
	/** Said of what is left when the new key was taken back; as "key_1 works on". */
	readonly kept?: string;
}

async function revoke({ app }: Team, id: string, context: Context): Promise<boolean> {
	try {
		await app.keys.revoke(id);
		return true;
	} catch (error) {
		const { out, globals, world } = context;
		const item = `${id} could not be revoked`;
		await report(world, error, { json: out.isJson, verbose: globals.verbose, item, next: `svc keys revoke ${id}` });
		return false;
	}
}

function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A key that nobody got, or that does not work, is not left behind. */
async function takeBack(
	plan: NewKeyPlan,
	made: ManagedKey,
	error: unknown,
	team: Team,
	context: Context,
): Promise<never> {
	const revoked = await revoke(team, made.id, context);
	await plan.handover.discard().catch(() => undefined);
	const kept = plan.kept === undefined ? "" : ` ${plan.kept}.`;
	const done = revoked ? `${made.id} was revoked.${kept}` : `${made.id} is still there.${kept}`;
	if (context.world.signal.aborted) {
		await say(context, done);
		throw new Interrupted();
	}
	const next = revoked ? "Run the same command again once that is mended." : `svc keys revoke ${made.id}`;
	throw new LocalError(`${reasonOf(error)} ${done}`, next);
}

/**
 * Makes a key and hands its secret over. When that fails, or Ctrl-C comes in between, the new key is revoked.
 * @throws LocalError
 */
export async function makeKey(plan: NewKeyPlan, team: Team, context: Context): Promise<ManagedKey & WithSecret> {
	const { signal } = context.world;
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
