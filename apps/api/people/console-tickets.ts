import { Failure } from "@svc/base/failure";
import { isFromHere } from "@svc/base/http/same-machine";
import { requireFresh, requireSession } from "@svc/people/people";
import { type ConsoleTicket, issueTicket } from "@svc/people/sign-in/console-tickets";
import { text } from "@svc/variants/bounds";
import { about, dateTime, KEY_OR_NONE, named, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { created } from "../kit/call.ts";
import type { Call } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { anybodyRoute, type PersonCall } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

/** As long as a browser takes to start. */
const LIFE_SECONDS = 60;
const MACHINE_KEY_MAX = 100;

const ticketSchema = named(
	"ConsoleTicket",
	v.object({
		object: v.literal("console_ticket"),
		url: about(shownOnce(), "Opens the console in a browser, once; null where the answer is a replay."),
		expires_at: dateTime,
	}),
);
const asking = {
	machine_key: v.optional(
		about(text(MACHINE_KEY_MAX), "In place of a session: what stands in the file `machine-key` of the data directory."),
	),
};

export function consoleTickets(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/console_tickets", anybodyRoute(rooms), {
		operationId: "openConsole",
		summary: "Makes an address that opens the console in a browser, within 60 seconds and once",
		description:
			"For a person with a fresh session, never for a token; or on the machine of the service itself, for its first operator, with what stands in the data directory. The browser has a session of its own then, of which a letter tells.",
		tags: ["people"],
		security: KEY_OR_NONE,
		body: asking,
		answers: { 201: ticketSchema },
		again: ({ person }) => person && requireFreshSession(rooms, person),
		run: async (call) => {
			const { machine_key } = await call.input();
			const { ticket, expiresMs } = await (call.person
				? forPerson(rooms, call.person)
				: forMachine(rooms, call, machine_key));
			const url = `${rooms.addresses.web}/console?start=${ticket}`;
			return created({ object: "console_ticket" as const, url, expires_at: isoDate(expiresMs) });
		},
	});
}

async function forPerson(rooms: ApiRooms, person: PersonCall["person"]): Promise<ConsoleTicket> {
	requireFreshSession(rooms, person);
	return await issueTicket(rooms.people, person.account, { seconds: LIFE_SECONDS, reach: "anywhere" });
}

/** @throws Failure forbidden for a token, and for a session that is not fresh */
function requireFreshSession({ clock }: ApiRooms, person: PersonCall["person"]): void {
	requireSession(person);
	requireFresh(person, clock.now());
}

/** @throws Failure unauthorized for a call from elsewhere, and for another key than that of this process */
async function forMachine(rooms: ApiRooms, { request }: Call, sent: string | undefined): Promise<ConsoleTicket> {
	const isHere = isFromHere(request, rooms.addressOf(request));
	const operator =
		isHere && sent && (await rooms.isMachineKey(sent)) ? await rooms.operator.setup.findFirstOperator() : undefined;
	if (!operator) throw new Failure("unauthorized");
	return await issueTicket(rooms.people, operator, { seconds: LIFE_SECONDS, reach: "here" });
}
