import type { Database } from "@svc/base/database/client";
import { sharedSecret } from "@svc/base/database/meta";
import { hmac } from "@svc/base/macs";
import type { Clock, Log } from "@svc/base/ports";
import { absentProcessor } from "@svc/billing/absent";
import type { BillingDeps } from "@svc/billing/billing";
import { payerStore } from "@svc/billing/payers-store";
import type { Processor } from "@svc/billing/ports";
import { refStore } from "@svc/billing/processor-refs-store";
import { signingKey } from "@svc/billing/simulated/events";
import { type MovableClock, movableClock } from "@svc/billing/simulated/movable-clock";
import { simulatedProcessor } from "@svc/billing/simulated/processor";
import { simClockStore } from "@svc/billing/simulated/sim-clock-store";
import { simStore } from "@svc/billing/simulated/sim-objects-store";
import { subscriptionStore } from "@svc/billing/subscriptions-store";
import type { Config } from "./config.ts";

const DAY_MS = 86_400_000;

/** The service's clock: one that can be moved where payments are simulated. */
export async function openClock(config: Config, database: Database, clock: Clock): Promise<MovableClock | undefined> {
	return config.processor.kind === "simulated" ? await movableClock(clock, simClockStore(database)) : undefined;
}

interface World {
	readonly database: Database;
	readonly clock: Clock;
	readonly log: Log;
	/** Whether it is the service that sells, storage by storage. */
	readonly sellsTiers: boolean;
	/** What answers at the API's own address. */
	readonly api: (request: Request) => Promise<Response>;
}

async function openProcessor(config: Config, { database, clock, log, api }: World): Promise<Processor> {
	switch (config.processor.kind) {
		case "stripe": {
			// Its client is large, and most deployments never need it.
			const { stripeProcessor } = await import("@svc/billing/stripe/processor");
			return stripeProcessor({ ...config.processor, clock, log });
		}
		case "none":
			return absentProcessor();
		case "simulated":
			return simulatedProcessor({
				store: simStore(database),
				clock,
				log,
				key: await signingKey(await sharedSecret(database, "simulated-events")),
				web: config.webUrl,
				async deliver(raw, headers) {
					const address = `${config.baseUrl}/v1/processor/events`;
					return (await api(new Request(address, { method: "POST", body: raw, headers }))).status;
				},
			});
	}
}

export async function openBilling(config: Config, world: World): Promise<BillingDeps> {
	const { database, clock, log, sellsTiers } = world;
	return {
		processor: await openProcessor(config, world),
		refs: refStore(database),
		subscriptions: subscriptionStore(database),
		payers: payerStore(database, { sellsTiers }),
		trialMac: await hmac(await sharedSecret(database, "trials")),
		clock,
		log,
		graceMs: config.graceDays * DAY_MS,
	};
}
