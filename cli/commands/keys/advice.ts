import type { Advice } from "../../advice.ts";

/** What to do about a refusal that is about keys. */
export const KEY_ADVICE: Advice = {
	not_found: "See which keys there are: svc keys list",
	forbidden: "See whose key it is: svc keys get <id>; a key of one's own: svc keys create <name>",
	state_conflict: "Look at the key: svc keys get <id>",
};
