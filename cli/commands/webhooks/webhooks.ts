import type { WebhookEndpointChanges } from "@svc/sdk/calls/webhooks";
import { WEBHOOK_ENDPOINT_STATES } from "@svc/sdk/lists";
import { HANDOVER_ARGS, openHandover } from "../../handover/handover.ts";
import { makeAndGive } from "../../handover/make.ts";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT, UsageError } from "../../kit/exit.ts";
import { readChoice } from "../../kit/line/choice.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";
import { ENDPOINT_ADVICE, ENDPOINT_COLUMNS, ENDPOINT_DETAILS } from "./columns.ts";
import { deliveries, recover, redeliver, test } from "./deliveries.ts";
import { rotate } from "./rotate.ts";

const ID = { type: "positional", required: true, valueHint: "id", description: "Endpoint id" } as const;

const FIELD_ARGS = {
	types: { type: "string", valueHint: "image.*,key.created", description: "Only events of these types; * is all" },
	description: { type: "string", valueHint: "text", description: "What it is for" },
} as const;

const list = defineCommand({
	summary: "List where an App's events are sent, never the secrets",
	notes: pipeNote(ENDPOINT_COLUMNS),
	examples: ["svc webhooks list", "svc webhooks list --app app_1 --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await chosenApp(context);
		return printList(context, ENDPOINT_COLUMNS, args, app.webhooks.list);
	},
});

const get = defineCommand({
	summary: "Show one webhook endpoint, never its secret",
	examples: ["svc webhooks get whe_1", "svc webhooks get whe_1 --field state"],
	args: { id: ID },
	async run({ args: { id } }, context) {
		const { app } = await chosenApp(context);
		const found = await advising(ENDPOINT_ADVICE, () => app.webhooks.get(id, { signal: context.process.signal }));
		await context.out.record(ENDPOINT_DETAILS, found);
		return EXIT.ok;
	},
});

const create = defineCommand({
	summary: "Send an App's events to an address from now on; the secret that signs them is shown this once",
	notes:
		"The secret goes to standard output, or with --secret-file into a new file, or with --exec to a command's standard input.\n" +
		"When it cannot be handed over, the endpoint is removed again.",
	examples: [
		"svc webhooks create https://app.example.com/hooks --field secret",
		"svc webhooks create https://app.example.com/hooks --types 'image.*,key.created' --exec 'vault kv put app/svc hook=-'",
	],
	args: {
		url: { type: "positional", required: true, description: "https, on port 443" },
		...FIELD_ARGS,
		...HANDOVER_ARGS,
	},
	async run({ args }, context) {
		const endpoint = { url: args.url, types: args.types?.split(","), description: args.description };
		const { app } = await chosenApp(context);
		const handover = await openHandover(args, ENDPOINT_DETAILS, context);
		await makeAndGive(
			{
				make: () => advising(ENDPOINT_ADVICE, () => app.webhooks.create(endpoint)),
				revoke: (id) => app.webhooks.delete(id),
				revokeCommand: (id) => `svc webhooks delete ${id}`,
				handover,
			},
			context,
		);
		return EXIT.ok;
	},
});

const edit = defineCommand({
	summary: "Change a webhook endpoint, or disable it and enable it again",
	notes: "Once enabled again it gets what happens from then on; svc webhooks recover sends the rest.",
	examples: ["svc webhooks edit whe_1 --types 'image.*'", "svc webhooks edit whe_1 --state enabled"],
	args: {
		id: ID,
		url: { type: "string", valueHint: "url", description: "https, on port 443" },
		...FIELD_ARGS,
		state: { type: "string", valueHint: WEBHOOK_ENDPOINT_STATES.join("|"), description: "Whether events are sent" },
	},
	async run({ args: { id, url, types, description, state } }, context) {
		const changes: WebhookEndpointChanges = {
			...(url !== undefined && { url }),
			...(types !== undefined && { types: types.split(",") }),
			...(description !== undefined && { description }),
			...readChoice("state", state, WEBHOOK_ENDPOINT_STATES),
		};
		if (Object.keys(changes).length === 0) {
			throw new UsageError("Name what is to change: --url, --types, --description or --state.");
		}
		const { app } = await chosenApp(context);
		const { out, process } = context;
		const { signal } = process;
		const endpoint = await advising(ENDPOINT_ADVICE, () => app.webhooks.edit(id, changes, { signal }));
		await out.record(ENDPOINT_DETAILS, endpoint);
		return EXIT.ok;
	},
});

const rm = defineCommand({
	summary: "Remove webhook endpoints, and what is kept of their deliveries",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one endpoint.",
	examples: ["svc webhooks delete whe_1 --yes", "svc webhooks delete whe_1 whe_2 --yes"],
	args: {},
	rest: { name: "id", description: "Endpoint ids", required: true, valueHint: "id" },
	async run({ rest }, context) {
		const { signal } = context.process;
		const { app } = await chosenApp(context);
		return removeEach(
			{
				ids: rest,
				verb: "removed",
				before: (ids) => confirm(context, `Remove ${counted("webhook endpoint", ids)} and all deliveries for good?`),
				remove: (id) => advising(ENDPOINT_ADVICE, () => app.webhooks.delete(id, { signal })),
			},
			context,
		);
	},
});

export const WEBHOOK_COMMANDS = { list, get, create, edit, delete: rm, rotate, test, deliveries, redeliver, recover };
