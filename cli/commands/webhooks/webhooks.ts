import { UsageError } from "@svc/base/processes/exit";
import { WEBHOOK } from "@svc/nouns/webhook";
import type { WebhookEndpointChanges } from "@svc/sdk/calls/webhooks";
import { WEBHOOK_ENDPOINT_STATES } from "@svc/sdk/lists";
import { HANDOVER_NOTE } from "../../handover/handover.ts";
import { gives } from "../../handover/make.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { removes } from "../../kit/work/removal.ts";
import { ENDPOINT_ADVICE } from "./columns.ts";
import { deliveries, recover, redeliver, test } from "./deliveries.ts";
import { rotate } from "./rotate.ts";

const ID = takes.id("Endpoint id");

const FIELD_ARGS = {
	types: takes.text("Only events of these types; * is all", "image.*,key.created"),
	description: takes.text("What it is for", "text"),
} as const;

const list = lists({
	summary: "List where an App's events are sent, never the secrets",
	examples: ["svc webhooks list", "svc webhooks list --app app_1 --field id"],
	columns: WEBHOOK.list,
	from: "app",
	pages: () => (app) => app.webhooks.list,
});

const get = shows({
	summary: "Show one webhook endpoint, never its secret",
	examples: ["svc webhooks get whe_1", "svc webhooks get whe_1 --field state"],
	args: { id: ID },
	columns: WEBHOOK.detail,
	advice: ENDPOINT_ADVICE,
	from: "app",
	send:
		({ args }) =>
		(app, options) =>
			app.webhooks.get(args.id, options),
});

const create = gives({
	summary: "Send an App's events to an address from now on; the secret that signs them is shown this once",
	notes: `${HANDOVER_NOTE}.\nWhen it cannot be handed over, the endpoint is removed again.`,
	examples: [
		"svc webhooks create https://app.example.com/hooks --field secret",
		"svc webhooks create https://app.example.com/hooks --types 'image.*,key.created' --exec 'vault kv put app/svc hook=-'",
	],
	args: { url: takes.word("https, on port 443"), ...FIELD_ARGS },
	columns: WEBHOOK.detail,
	advice: ENDPOINT_ADVICE,
	from: "app",
	make:
		({ args: { url, types, description } }) =>
		(app) =>
			app.webhooks.create({ url, types: types?.split(","), description }),
	revoke: (app, id) => app.webhooks.delete(id),
	revokeCommand: "svc webhooks delete",
});

const edit = shows({
	summary: "Change a webhook endpoint, or disable it and enable it again",
	notes: "Once enabled again it gets what happens from then on; svc webhooks recover sends the rest.",
	examples: ["svc webhooks edit whe_1 --types 'image.*'", "svc webhooks edit whe_1 --state enabled"],
	args: {
		id: ID,
		url: takes.text("https, on port 443", "url"),
		...FIELD_ARGS,
		state: takes.choice("Whether events are sent", WEBHOOK_ENDPOINT_STATES),
	},
	columns: WEBHOOK.detail,
	advice: ENDPOINT_ADVICE,
	from: "app",
	send: ({ args: { id, url, types, description, state } }) => {
		const changes: WebhookEndpointChanges = {
			...givenFilters({ url, description }),
			...(types !== undefined && { types: types.split(",") }),
			...readChoice("state", state, WEBHOOK_ENDPOINT_STATES),
		};
		if (Object.keys(changes).length === 0)
			throw new UsageError("Name what is to change: --url, --types, --description or --state.");
		return (app, options) => app.webhooks.edit(id, changes, options);
	},
});

const rm = removes({
	summary: "Remove webhook endpoints, and what is kept of their deliveries",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one endpoint.",
	examples: ["svc webhooks delete whe_1 --yes", "svc webhooks delete whe_1 whe_2 --yes"],
	rest: takes.ids("Endpoint ids"),
	verb: "removed",
	noun: "webhook endpoint",
	question: (what) => `Remove ${what} and all deliveries for good?`,
	advice: ENDPOINT_ADVICE,
	from: "app",
	remove: (app, id, options) => app.webhooks.delete(id, options),
});

export const WEBHOOK_COMMANDS = { list, get, create, edit, delete: rm, rotate, test, deliveries, redeliver, recover };
