import type { ManagedKey, SigningKey, WebhookEndpoint } from "@svc/sdk/shapes";
import type { WithSecret } from "@svc/sdk/types";
import type { Event } from "../state/model.ts";

export type ActionResult = Pick<Extract<Event, { type: "acted" }>, "things" | "gone" | "failures" | "secret">;

export const NOTHING: ActionResult = { things: [], gone: [], failures: [] };

/** The secret leaves the thing that it came with: lists and the filter never hold it. */
export function apart<Made extends ManagedKey | WebhookEndpoint | SigningKey>({
	secret,
	...thing
}: Made & WithSecret): ActionResult {
	return { ...NOTHING, things: [thing as unknown as Made], secret };
}
