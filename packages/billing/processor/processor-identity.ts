import type { Log } from "@svc/base/ports";
import { withinRequest } from "../patience.ts";
import type { Processor, ProcessorAccount, ProcessorIdentity } from "../ports.ts";
import type { ProcessorIdentityStore } from "./processor-identity-store.ts";

/*
 * Whose subscriptions the database holds (decision 0054). Another processor, or another account of the same one, knows none of them: their
 * payers would be told for ever that something is being confirmed. The first subscription decides.
 */

/**
 * The identity of the processor that is configured.
 * @throws Error that names both, and says what to do, where the database's subscriptions are another one's
 */
export async function requireSameProcessor(
	store: ProcessorIdentityStore,
	processor: Processor,
	log: Log,
): Promise<ProcessorIdentity> {
	const configured: ProcessorIdentity = { name: processor.name, ...(await accountOf(processor, log)) };
	const kept = await store.find();
	if (kept && !isSame(kept, configured)) throw new Error(refusal(kept, configured));
	if (kept && kept.account === null && configured.account !== null) await store.replace(configured);
	return configured;
}

/** A processor that does not answer at the start is no reason not to start: its mode is known without it. */
async function accountOf(processor: Processor, log: Log): Promise<ProcessorAccount> {
	const { mode } = processor;
	try {
		return { mode, account: await withinRequest(processor.findAccount()) };
	} catch (cause) {
		log.warn("the payment processor does not say whose account this is; it is compared at the next start", { cause });
		return { mode, account: null };
	}
}

/** What is not known of one of them decides nothing. */
function isSame(kept: ProcessorIdentity, now: ProcessorIdentity): boolean {
	const differs = (one: string | null, other: string | null) => one !== null && other !== null && one !== other;
	return kept.name === now.name && !differs(kept.mode, now.mode) && !differs(kept.account, now.account);
}

function refusal(kept: ProcessorIdentity, now: ProcessorIdentity): string {
	return (
		`the subscriptions in this database are those of the payment processor ${shown(kept)}, and the service is configured for ${shown(now)}. ` +
		"Set SVC_STRIPE_SECRET_KEY back; or, where the other one shall not be used any more, end its subscriptions on our side " +
		"with: svc server forget-processor (nothing is cancelled or paid back there)."
	);
}

/** As people read it. */
function shown({ name, account, mode }: ProcessorIdentity): string {
	const more = [account === null ? "" : `account ${account}`, mode === null ? "" : `${mode} mode`].filter(Boolean);
	return more.length > 0 ? `${name} (${more.join(", ")})` : name;
}
