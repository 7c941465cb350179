import { UsageError } from "@svc/base/processes/exit";
import { TICKET } from "@svc/nouns/ticket";
import type { TicketOptions } from "@svc/sdk/calls/tickets";
import { UPLOAD_TICKET_FORMATS, UPLOAD_TICKET_STATES } from "@svc/sdk/lists";
import { defineCommand } from "../../kit/command.ts";
import { oneOf, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { checkDate, checkDuration } from "../../kit/line/times.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { readPairs, readTtl } from "../images/create-fields.ts";

/** Of one ticket: its address first, since it is what one wants of a new one. */
const DETAIL_COLUMNS = [...TICKET.columnsOf("url"), ...TICKET.detail];

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
		"expires-in": takes.text("Until when it can be used, 1m to 24h; default: 1h", "10m"),
		"max-bytes": takes.text("The largest file", "n"),
		formats: takes.text(`Only these: ${UPLOAD_TICKET_FORMATS.join(", ")}`, "jpg,png"),
		origin: takes.text("Only from pages of this origin", "origin"),
		caption: takes.text("Caption of the image", "text"),
		ttl: takes.text("Delete the image after this time, from its upload", "7d"),
		"published-at": takes.text("ISO 8601 or unix seconds", "date"),
		label: takes.text("Label of the image", "key=value"),
		metadata: takes.text("Attribution of the image", "key=value"),
		"external-id": takes.text("A name of your own for the image", "name"),
		"idempotency-key": takes.text("Repeating it within a day doubles nothing", "key"),
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
	},
});

const list = defineCommand({
	summary: "List upload tickets, newest first",
	notes: pipeNote(TICKET.list),
	examples: ["svc tickets list", "svc tickets list --state open --all --field id"],
	args: {
		...LIST_ARGS,
		state: takes.text(`Only these: ${UPLOAD_TICKET_STATES.join(", ")}`, "state"),
	},
	async run({ args }, context) {
		const filter = readChoice("state", args.state, UPLOAD_TICKET_STATES);
		const { tickets } = await context.client();
		return printList(context, TICKET.list, args, (page) => tickets.list({ ...page, ...filter }));
	},
});

const get = defineCommand({
	summary: "Show one upload ticket",
	examples: ["svc tickets get upt_1", "svc tickets get upt_1 --field state"],
	args: { id: takes.id("Ticket id") },
	async run({ args }, { client, out, process }) {
		const { tickets } = await client();
		const found = await advising(ADVICE, () => tickets.get(args.id, { signal: process.signal }));
		await out.record(DETAIL_COLUMNS, found);
	},
});

const cancel = defineCommand({
	summary: "Cancel an upload ticket: its address takes nothing any more",
	examples: ["svc tickets cancel upt_1"],
	args: { id: takes.id("Ticket id") },
	async run({ args }, { client, out, process }) {
		const { tickets } = await client();
		const advice = {
			...ADVICE,
			state_conflict: `It was used. See its image: svc tickets get ${args.id} --field image_id`,
		};
		const ended = await advising(advice, () => tickets.cancel(args.id, { signal: process.signal }));
		await out.record(DETAIL_COLUMNS, ended);
	},
});

export const TICKET_COMMANDS = { create, list, get, cancel };

/** @throws UsageError */
function readBytes(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (/^\d{1,9}$/.test(text)) return Number(text);
	throw new UsageError(`--max-bytes takes a whole number of bytes; not "${text}".`);
}
