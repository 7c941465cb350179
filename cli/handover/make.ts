import type { WithSecret } from "@svc/sdk/types";
import type { Context } from "../kit/command.ts";
import { LocalError } from "../kit/exit.ts";
import { type Handover, say } from "./handover.ts";

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
export async function makeAndGive<T extends { readonly id: string }>(
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
