import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { catchUp } from "@svc/billing/billing";
import { SIMULATED_OUTCOMES } from "@svc/billing/ports";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer, RouteHandler } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { operatorRoute, type PersonCall } from "../kit/person.ts";

/* What operators do with a service whose payments are simulated; elsewhere there is no such thing. */

const advanceEntries = {
	to: v.pipe(
		v.string("must be a date and time"),
		v.isoTimestamp("must be a date and time with its zone, as 2026-12-01T00:00:00Z"),
		v.transform((text) => Date.parse(text)),
		v.finite("must be a date and time"),
	),
};

const clockSchema = v.object({ object: v.literal("clock"), now: v.string() });

const simulateEntries = {
	subscription: v.pipe(v.string("must be the id of a subscription"), v.maxLength(100)),
	outcome: v.picklist(SIMULATED_OUTCOMES, `must be one of ${SIMULATED_OUTCOMES.join(", ")}`),
};

const simulatedSchema = v.object({
	object: v.literal("simulation"),
	subscription: v.string(),
	outcome: v.picklist(SIMULATED_OUTCOMES),
	/** The subscription's own, as the processor has it now. */
	status: v.string(),
});

export function simulation(app: Elysia, deps: ApiDeps): void {
	app.post("/v1/operator/clock/advance", simulatedRoute(deps, advance), {
		parse: "none",
		detail: {
			operationId: "advanceClock",
			summary: "Moves the service's clock forwards; only while payments are simulated",
			tags: ["operator"],
			...jsonBody(v.object(advanceEntries)),
			...answers(200, clockSchema),
		},
	});
	app.post("/v1/operator/billing/simulate", simulatedRoute(deps, simulate), {
		parse: "none",
		detail: {
			operationId: "simulateBilling",
			summary: "Decides how the next payments of a subscription go; only while payments are simulated",
			tags: ["operator"],
			...jsonBody(v.object(simulateEntries)),
			...answers(200, simulatedSchema),
		},
	});
}

function simulatedRoute(deps: ApiDeps, run: (deps: ApiDeps, call: PersonCall) => Promise<Answer>): RouteHandler {
	return operatorRoute(deps, { scope: "operator:write" }, (call) => run(deps, call));
}

async function advance(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const { movableClock } = deps;
	if (!movableClock) throw new Failure("not_found");
	const { to } = await readInput(call, advanceEntries);
	const now = await movableClock.advanceTo(to, call.by);
	await catchUp(deps);
	return { status: 200, body: { object: "clock", now: new Date(now).toISOString() } };
}

async function simulate(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const simulated = deps.processor.simulation;
	if (!simulated) throw new Failure("not_found");
	const { subscription: id, outcome } = await readInput(call, simulateEntries);
	const known = isId("sub", id) ? await deps.subscriptions.find(id) : undefined;
	if (!known || !(await simulated.tell(known.ref, outcome))) throw new Failure("not_found");
	await catchUp(deps);
	const status = (await deps.subscriptions.find(id))?.status ?? known.status;
	return { status: 200, body: { object: "simulation", subscription: id, outcome, status } };
}
