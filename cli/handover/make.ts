import { LocalError } from "@svc/base/processes/exit";
import type { WithSecret } from "@svc/sdk/types";
import type { ArgsDef } from "citty";
import {
	type Calling,
	type Calls,
	type Command,
	type Context,
	defineCommand,
	type Given,
	type Room,
} from "../kit/command.ts";
import type { Column } from "../kit/output/table.ts";
import { advising } from "../kit/refusal.ts";
import { HANDOVER_ARGS, type Handover, openHandover, say } from "./handover.ts";

interface NewSecret<T extends { readonly id: string }> {
	/** It does not get the signal: after an interruption it would not be known whether something was made. */
	make(): Promise<T & WithSecret>;
	revoke(id: string): Promise<unknown>;
	/** The command that revokes what could not be revoked here. */
	revokeCommand(id: string): string;
	readonly handover: Handover<T>;
}

/**
 * Makes something with a secret and hands that over, or shows it. What nobody received the secret of is revoked again.
 * @throws LocalError
 */
async function makeAndGive<T extends { readonly id: string }>(
	{ make, revoke, revokeCommand, handover }: NewSecret<T>,
	context: Context,
): Promise<void> {
	try {
		const made = await make();
		try {
			await handover.give(made);
		} catch (error) {
			const revoked = await revoke(made.id).then(
				() => true,
				() => false,
			);
			if (!revoked) {
				const reason = error instanceof Error ? error.message : String(error);
				throw new LocalError(`${reason} ${made.id} is still there.`, revokeCommand(made.id));
			}
			await say(context, `${made.id} was revoked again.`);
			throw error;
		}
		await handover.show(made);
	} catch (error) {
		await handover.discard().catch(() => undefined);
		throw error;
	}
}

interface Giving<T extends ArgsDef, R extends Room, Row extends { readonly id: string }> extends Calling<T, R> {
	readonly columns: readonly Column<NoInfer<Row>>[];
	/** Reads the line, and says then what makes it. */
	make(given: Given<T>, context: Context): (calls: Calls<R>) => Promise<Row & WithSecret>;
	revoke(calls: Calls<R>, id: string): Promise<unknown>;
	/** The command that revokes one, without its id. */
	readonly revokeCommand: string;
}

/** A command that makes something with a secret, which is shown this once or goes where the flags say. */
export function gives<const T extends ArgsDef, const R extends Room, Row extends { readonly id: string }>(
	giving: Giving<T, R, Row>,
): Command {
	const { from, columns, advice = {}, make, revoke, revokeCommand, args, ...described } = giving;
	return defineCommand({
		...described,
		args: { ...args, ...HANDOVER_ARGS } as ArgsDef,
		async run(line, context) {
			const made = make(line as unknown as Given<T>, context);
			const calls = (await context[from]()) as Calls<R>;
			const handover = await openHandover<Row>(line.args as Parameters<typeof openHandover>[0], columns, context);
			await makeAndGive(
				{
					make: () => advising(advice, () => made(calls)),
					revoke: (id) => revoke(calls, id),
					revokeCommand: (id) => `${revokeCommand} ${id}`,
					handover,
				},
				context,
			);
		},
	});
}
