import type { Advice } from "../../kit/refusal.ts";

const SEE = "See which there are: svc webhooks list";

export const ENDPOINT_ADVICE: Advice = { not_found: SEE };

/** For what only an enabled endpoint does. */
export function sendingAdvice(id: string): Advice {
	return { not_found: SEE, state_conflict: `Enable it first: svc webhooks edit ${id} --state enabled` };
}
