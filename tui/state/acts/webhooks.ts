import type { WebhookEndpoint } from "@svc/sdk/shapes";
import { listOf, selectedOf } from "../lists/list.ts";
import { type State, type Step, say, stay } from "../model.ts";
import type { Action } from "./action.ts";
import { askText, confirm, isMakingSecret, WAIT } from "./actions.ts";
import { change } from "./changes.ts";

/* What keys do to webhook endpoints and their deliveries. */

export function createWebhook(state: State): Step {
	if (isMakingSecret(state)) return stay(say(state, "warn", WAIT));
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return askText(state, "Address that gets all events", { kind: "new-webhook", app: state.app.id }, "https://");
}

function withEndpoint(state: State, act: (endpoint: WebhookEndpoint, app: string) => Step): Step {
	const endpoint = selectedOf(listOf(state));
	if (endpoint?.object !== "webhook_endpoint" || state.app === undefined) {
		return stay(say(state, "warn", "No endpoint is chosen."));
	}
	return act(endpoint, state.app.id);
}

/** The endpoint that is chosen, or whose deliveries are on the screen. */
function withEndpointId(state: State, act: (id: string, app: string) => Step): Step {
	const { app, endpoint, screen } = state;
	if (screen !== "deliveries") return withEndpoint(state, ({ id }, of) => act(id, of));
	return app === undefined || endpoint === undefined ? stay(state) : act(endpoint.id, app.id);
}

/** It is no event of the feed. */
export function testWebhook(state: State): Step {
	return withEndpointId(state, (id, app) => change(state, { kind: "webhook", verb: "test", app, id }));
}

export function enableOrDisable(state: State): Step {
	return withEndpoint(state, ({ id, state: now }, app) =>
		change(state, { kind: "webhook", verb: now === "enabled" ? "disable" : "enable", app, id }),
	);
}

/** The old secret signs as well for a day. */
export function rotateSecret(state: State): Step {
	if (isMakingSecret(state)) return stay(say(state, "warn", WAIT));
	return withEndpoint(state, ({ id }, app) => change(state, { kind: "webhook", verb: "rotate", app, id }));
}

export function removeWebhook(state: State): Step {
	return withEndpoint(state, ({ id, url }, app) => {
		const act: Action = { kind: "webhook", verb: "remove", app, id };
		return confirm(state, `Remove ${url} and its deliveries for good?`, new URL(url).host, act);
	});
}

export function recoverMissed(state: State): Step {
	return withEndpointId(state, (id, app) =>
		askText(state, "Send what was not delivered since (90m, 24h, 7d, a date)", { kind: "recover", app, id }, "24h"),
	);
}

export function redeliver(state: State): Step {
	const delivery = selectedOf(listOf(state));
	const { app, endpoint } = state;
	if (delivery?.object !== "webhook_delivery" || app === undefined || endpoint === undefined) {
		return stay(say(state, "warn", "No delivery is chosen."));
	}
	if (delivery.state === "pending") return stay(say(state, "warn", "It is on its way already."));
	return change(state, { kind: "delivery", verb: "redeliver", app: app.id, endpoint: endpoint.id, id: delivery.id });
}
