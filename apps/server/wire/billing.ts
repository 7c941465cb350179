import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import type { Clock } from "@svc/base/ports";
import type { SellerKind } from "@svc/billing/payers/payers-store";
import type { AppPlans } from "@svc/billing/plans/app-plans";
import type { OwnGoods } from "@svc/billing/plans/bought";
import type { Processor } from "@svc/billing/ports";
import { absentProcessor } from "@svc/billing/processor/absent";
import { requireSameProcessor } from "@svc/billing/processor/processor-identity";
import { processorIdentityStore } from "@svc/billing/processor/processor-identity-store";
import { type Billing, openBilling } from "@svc/billing/room";
import { signingKey } from "@svc/billing/simulated/events";
import { type MovableClock, movableClock, simClockStore } from "@svc/billing/simulated/movable-clock-store";
import { simulatedProcessor } from "@svc/billing/simulated/processor";
import { simStore } from "@svc/billing/simulated/sim-objects-store";
import type { Connect } from "@svc/connect/room";
import type { Config } from "../config/config.ts";

const DAY_MS = 86_400_000;

/** The handler of the API's own address. */
type Api = (request: Request) => Promise<Response>;

interface BillingParts {
	readonly apps: Apps;
	readonly connect: Connect;
	readonly movableClock: MovableClock | undefined;
	/** The own plans of Apps. */
	readonly appPlans: AppPlans;
	/** What of its own the service does not sell at present. */
	readonly unsold: readonly OwnGoods[];
	/** Who sells on the hosted card. */
	readonly seller: SellerKind;
	readonly api: Api;
}

/** The service's clock: one that can be moved where payments are simulated. */
export async function openClock(config: Config, database: Database, clock: Clock): Promise<MovableClock | undefined> {
	return config.processor.kind === "simulated" ? await movableClock(clock, simClockStore(database)) : undefined;
}

export async function billingRoom(
	config: Config,
	base: Base,
	database: Database,
	{ api, ...parts }: BillingParts,
): Promise<Billing> {
	const processor = await openProcessor(config, base, database, api);
	const identity = await requireSameProcessor(processorIdentityStore(database), processor, base.log);
	return await openBilling(base, database, { ...parts, processor, identity, graceMs: graceMsOf(config) });
}

/** How long a subscription goes on while its payment fails. */
export function graceMsOf({ graceDays }: Config): number {
	return graceDays * DAY_MS;
}

async function openProcessor(
	{ processor, webUrl, baseUrl }: Config,
	{ clock, log, keyring }: Base,
	database: Database,
	api: Api,
): Promise<Processor> {
	switch (processor.kind) {
		case "stripe": {
			// Loaded on demand: Stripe's client is large, and most deployments never need it.
			const { stripeProcessor } = await import("@svc/billing/stripe/processor");
			return stripeProcessor({ ...processor, clock, log });
		}
		case "none":
			return absentProcessor();
		case "simulated":
			return simulatedProcessor({
				store: simStore(database),
				clock,
				log,
				key: await signingKey(await keptKey(database, keyring, "simulated-events")),
				web: webUrl,
				async deliver(raw, headers) {
					const address = `${baseUrl}/v1/processor/events`;
					return (await api(new Request(address, { method: "POST", body: raw, headers }))).status;
				},
			});
	}
}
