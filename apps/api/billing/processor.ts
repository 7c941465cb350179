import type { DisputeState } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { catchUp } from "@svc/billing/catch-up";
import { SIMULATED_OUTCOMES, type SimulatedOutcome } from "@svc/billing/ports";
import { receiveDelivery } from "@svc/billing/processor/deliveries";
import type { Subscription } from "@svc/billing/subscription";
import { date } from "@svc/images/image-fields";
import { text } from "@svc/variants/bounds";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readText } from "../kit/body/body.ts";
import { ok, openRoute } from "../kit/call.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const MAX_BYTES = 1_024 * 1_024;

const receivedSchema = named(
	"ProcessorEvent",
	v.object({ object: v.literal("processor_event"), received: v.literal(true) }),
);

/** The payment processor delivers its events here; only its signature authenticates it. */
export function processor(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/processor/events", openRoute(rooms), {
		anyQuery: true,
		operationId: "receiveProcessorEvent",
		summary: "Takes the payment processor's own deliveries, which it signs",
		tags: ["billing"],
		security: [],
		answers: { 200: receivedSchema },
		run: async ({ request }) => {
			// The signature is over the very bytes: nothing may parse them before.
			const raw = await readText(request, MAX_BYTES);
			await receiveDelivery(rooms.billing, raw, request.headers);
			return ok({ object: "processor_event", received: true });
		},
	});
}

/* Operators control simulated payments with these; elsewhere the routes do not exist. */

const advanceEntries = { to: date };

const clockSchema = named(
	"Clock",
	v.object({ object: v.literal("clock"), now: dateTime }),
	"The service's clock, where payments are simulated.",
);

const clockAt = (nowMs: number) => ({ object: "clock" as const, now: new Date(nowMs).toISOString() });

/** In which state each outcome leaves a dispute. */
const DISPUTED: Partial<Record<SimulatedOutcome, DisputeState>> = {
	dispute: "open",
	dispute_won: "won",
	dispute_lost: "lost",
};

function refuseUndisputed(outcome: SimulatedOutcome, read: Subscription | undefined): void {
	const state = DISPUTED[outcome];
	if (state === undefined || read?.dispute?.state === state) return;
	throw Failure.saying("state_conflict", `Nothing of this subscription can be ${SAID[state]} now.`);
}

const SAID = {
	open: "disputed: nothing of it is paid, or left",
	won: "won: no dispute is open",
	lost: "lost",
} as const;

const simulatedOutcome = oneOf("SimulatedOutcome", SIMULATED_OUTCOMES);

const simulateEntries = {
	subscription: text(100, undefined, "must be the id of a subscription"),
	outcome: simulatedOutcome,
};

const simulatedSchema = named(
	"Simulation",
	v.object({
		object: v.literal("simulation"),
		subscription: v.string(),
		outcome: simulatedOutcome,
		status: about(v.string(), "The subscription's own, as the processor has it now."),
	}),
);

export function simulation(app: Elysia, rooms: ApiRooms): void {
	const guard = operatorRoute(rooms, "operator:write");
	route(app, "GET", "/v1/operator/clock", operatorRoute(rooms, "operator:read"), {
		operationId: "getClock",
		summary: "Shows the service's clock; only while payments are simulated",
		tags: ["operator"],
		answers: { 200: clockSchema },
		run: async () => {
			const { movableClock } = rooms.billing;
			if (!movableClock) throw new Failure("not_found");
			return ok(clockAt(movableClock.now()));
		},
	});
	route(app, "POST", "/v1/operator/clock/advance", guard, {
		operationId: "advanceClock",
		summary: "Moves the service's clock forwards; only while payments are simulated",
		tags: ["operator"],
		body: advanceEntries,
		answers: { 200: clockSchema },
		run: async (call) => {
			const { movableClock } = rooms.billing;
			if (!movableClock) throw new Failure("not_found");
			const { to } = await call.input();
			const now = await movableClock.advanceTo(to, call.by);
			await catchUp(rooms.billing);
			return ok(clockAt(now));
		},
	});
	route(app, "POST", "/v1/operator/billing/simulate", guard, {
		operationId: "simulateBilling",
		summary: "Decides how the next payments of a subscription go; only while payments are simulated",
		tags: ["operator"],
		body: simulateEntries,
		answers: { 200: simulatedSchema },
		run: async (call) => {
			const simulated = rooms.billing.processor.simulation;
			if (!simulated) throw new Failure("not_found");
			const { subscription: id, outcome } = await call.input();
			const known = isId("sub", id) ? await rooms.billing.subscriptions.find(id) : undefined;
			if (!known) throw new Failure("not_found");
			const audited = { by: call.by, appPk: known.subscriber.appPk, target: id };
			if (!(await simulated.tell(known.ref, outcome, audited))) throw new Failure("not_found");
			await catchUp(rooms.billing);
			const read = await rooms.billing.subscriptions.find(id);
			refuseUndisputed(outcome, read);
			const status = read?.status ?? known.status;
			return ok({ object: "simulation", subscription: id, outcome, status });
		},
	});
}
