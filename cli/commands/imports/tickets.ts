import type { TicketOptions } from "@svc/sdk/calls/tickets";
import { UPLOAD_TICKET_FORMATS, UPLOAD_TICKET_STATES } from "@svc/sdk/lists";
import type { UploadTicket } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { EXIT, UsageError } from "../../kit/exit.ts";
import { oneOf, readChoice } from "../../kit/line/choice.ts";
import { checkDate, checkDuration } from "../../kit/line/times.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { readPairs, readTtl } from "../images/create-fields.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const TICKET_COLUMNS: readonly Column<UploadTicket>[] = [
	...fields("id", "state", "image_id", "expires_at", "attempts"),
	{ name: "failure", value: (ticket) => ticket.failure?.code ?? null },
	{ name: "user_id", value: (ticket) => ticket.user_id },
];

/** Of one ticket: its address first, since it is what one wants of a new one. */
const DETAIL_COLUMNS: readonly Column<UploadTicket>[] = [
	{ name: "url", value: (ticket) => ticket.url },
	...TICKET_COLUMNS,
	...fields("max_bytes"),
	{ name: "formats", value: (ticket) => ticket.formats.join(",") },
	{ name: "origins", value: (ticket) => ticket.origins?.join(",") ?? "any" },
	...fields("used_at", "created_at"),
];

const LIFE = { minSeconds: 60, maxSeconds: 86_400, takes: "a time from 1m to 24h" };
const ADVICE = { not_found: "See which there are: svc tickets list" };

const create = defineCommand({
	summary: "Let a browser or a phone upload one image without a key",
	notes: "Whoever has the address can upload: curl -F file=@photo.jpg <url>",
	examples: [
		"svc tickets create",
		"svc tickets create --expires-in 10m --formats jpg,heic --origin https://app.example.com --label album=x --field url",
	],
	args: {
		"expires-in": {
			type: "string",
			valueHint: "10m",
			description: "Until when it can be used, 1m to 24h; default: 1h",
		},
		"max-bytes": { type: "string", valueHint: "n", description: "The largest file" },
		formats: { type: "string", valueHint: "jpg,png", description: `Only these: ${UPLOAD_TICKET_FORMATS.join(", ")}` },
		origin: { type: "string", valueHint: "origin", description: "Only from pages of this origin" },
		caption: { type: "string", valueHint: "text", description: "Caption of the image" },
		ttl: { type: "string", valueHint: "7d", description: "Delete the image after this time, from its upload" },
		"published-at": { type: "string", valueHint: "date", description: "ISO 8601 or unix seconds" },
		label: { type: "string", valueHint: "key=value", description: "Label of the image" },
		metadata: { type: "string", valueHint: "key=value", description: "Attribution of the image" },
		"external-id": { type: "string", valueHint: "name", description: "A name of your own for the image" },
		"idempotency-key": { type: "string", valueHint: "key", description: "Repeating it within a day doubles nothing" },
	},
	repeatable: ["origin", "label", "metadata"],
	async run({ args, all }, { client, out, process }) {
		const asked: TicketOptions = {
			expiresIn: checkDuration("--expires-in", args["expires-in"], LIFE),
			maxBytes: readBytes(args["max-bytes"]),
			formats: args.formats?.split(",").map((format) => oneOf("--formats", format, UPLOAD_TICKET_FORMATS)),
			origins: all("origin").length > 0 ? all("origin") : undefined,
			fields: {
				caption: args.caption,
				ttl: readTtl(args.ttl),
				publishedAt: checkDate("--published-at", args["published-at"]),
				labels: readPairs("label", all("label")),
				metadata: readPairs("metadata", all("metadata")),
				externalId: args["external-id"],
			},
		};
		const { tickets } = await client();
		const made = await tickets.create({ ...asked, idempotencyKey: args["idempotency-key"], signal: process.signal });
		await out.record(DETAIL_COLUMNS, made);
		return EXIT.ok;
	},
});

const list = defineCommand({
	summary: "List upload tickets, newest first",
	notes: pipeNote(TICKET_COLUMNS),
	examples: ["svc tickets list", "svc tickets list --state open --all --field id"],
	args: {
		...LIST_ARGS,
		state: { type: "string", valueHint: "state", description: `Only these: ${UPLOAD_TICKET_STATES.join(", ")}` },
	},
	async run({ args }, context) {
		const filter = readChoice("state", args.state, UPLOAD_TICKET_STATES);
		const { tickets } = await context.client();
		return printList(context, TICKET_COLUMNS, args, (page) => tickets.list({ ...page, ...filter }));
	},
});

const get = defineCommand({
	summary: "Show one upload ticket",
	examples: ["svc tickets get upt_1", "svc tickets get upt_1 --field state"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Ticket id" } },
	async run({ args }, { client, out, process }) {
		const { tickets } = await client();
		const found = await advising(ADVICE, () => tickets.get(args.id, { signal: process.signal }));
		await out.record(DETAIL_COLUMNS, found);
		return EXIT.ok;
	},
});

const cancel = defineCommand({
	summary: "Cancel an upload ticket: its address takes nothing any more",
	examples: ["svc tickets cancel upt_1"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Ticket id" } },
	async run({ args }, { client, out, process }) {
		const { tickets } = await client();
		const advice = {
			...ADVICE,
			state_conflict: `It was used. See its image: svc tickets get ${args.id} --field image_id`,
		};
		const ended = await advising(advice, () => tickets.cancel(args.id, { signal: process.signal }));
		await out.record(DETAIL_COLUMNS, ended);
		return EXIT.ok;
	},
});

export const TICKET_COMMANDS = { create, list, get, cancel };

/** @throws UsageError */
function readBytes(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (/^\d{1,9}$/.test(text)) return Number(text);
	throw new UsageError(`--max-bytes takes a whole number of bytes; not "${text}".`);
}
