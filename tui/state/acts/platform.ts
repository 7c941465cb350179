import type { UploadTicket } from "@svc/sdk/shapes";
import { listOf, selectedOf, targetsOf } from "../lists/list.ts";
import { BATCH_LIMIT, type State, type Step, say, stay } from "../model.ts";
import type { Action } from "./action.ts";
import { confirm } from "./actions.ts";

/* What keys do to what an App's backend works with. */

/** The characters of an id that are typed to confirm. */
const TYPED = 4;

/** Whoever has the address may upload, so it is on no screen. */
export function copyAddress(state: State): Step {
	const ticket = selectedOf(listOf(state));
	if (ticket?.object !== "upload_ticket") return stay(say(state, "warn", "No ticket is chosen."));
	if (ticket.url === null) return stay(say(state, "warn", "Only Editors, Admins and Owners get the address."));
	return stay(say(state, "good", `Copied the address of ${ticket.id}.`), { type: "copy", text: ticket.url });
}

export function cancelTickets(state: State): Step {
	const chosen = targetsOf(listOf(state)).filter((thing): thing is UploadTicket => thing.object === "upload_ticket");
	const open = chosen.filter(({ state: now }) => now === "open").slice(0, BATCH_LIMIT);
	const [first] = open;
	if (chosen.length === 0 || state.app === undefined) return stay(say(state, "warn", "No ticket is chosen."));
	if (first === undefined) return stay(say(state, "warn", "Only open tickets can be cancelled."));
	const act: Action = { kind: "tickets", verb: "cancel", app: state.app.id, ids: open.map(({ id }) => id) };
	if (open.length > 1) return confirm(state, `Cancel ${open.length} tickets for good?`, String(open.length), act);
	return confirm(state, `Cancel ${first.id} for good?`, first.id.slice(-TYPED), act);
}
