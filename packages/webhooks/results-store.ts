import { noticedOf } from "@svc/apps/team/members-store";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { webhookEndpoints } from "@svc/base/database/schema/webhooks";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { DisabledReason } from "@svc/base/enumerations";
import { mailEach } from "@svc/mail/mail-entries-store";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { ClaimedDelivery, DeliveryAttempt } from "./deliveries.ts";
import { type Receiver, triedStep } from "./deliveries-store.ts";
import { disabledSteps, disabling } from "./endpoints-store.ts";

/** The team is told once after that time of failures. */
const WARNED_AFTER_MS = 24 * 3_600_000;
/** After that time of failures an endpoint is disabled with the delivery that fails for good. */
const DISABLED_AFTER_MS = 3 * 24 * 3_600_000;

export function resultStore({ write, read, queries }: Database) {
	async function isFailing(endpointPk: number, nowMs: number): Promise<boolean> {
		const failing = and(
			eq(webhookEndpoints.pk, endpointPk),
			lte(webhookEndpoints.failingSinceMs, nowMs - DISABLED_AFTER_MS),
		);
		const found = await read(() => queries.select({ pk: webhookEndpoints.pk }).from(webhookEndpoints).where(failing));
		return found.length > 0;
	}

	/** In a commit of its own: whoever else disabled it meanwhile has done all of this. */
	async function disable(receiver: Receiver, reason: DisabledReason, nowMs: number): Promise<void> {
		const enabled = and(eq(webhookEndpoints.pk, receiver.pk), eq(webhookEndpoints.state, "enabled"));
		await write([
			updateStep(webhookEndpoints, disabling(reason, nowMs), enabled, "moved"),
			...disabledSteps(receiver, { nowMs }),
			letter("webhook_disabled", receiver, nowMs),
		]);
	}

	return {
		async delivered(
			receiver: Receiver,
			delivery: ClaimedDelivery,
			attempt: DeliveryAttempt,
			nowMs: number,
		): Promise<void> {
			const well = { lastDeliveredMs: nowMs, failingSinceMs: null, warnedMs: null };
			await write([
				triedStep(delivery, { ...attempt }, { state: "delivered", nextMs: null, tries: delivery.tries + 1 }),
				updateStep(webhookEndpoints, well, eq(webhookEndpoints.pk, receiver.pk)),
			]);
		},
		/** `nextMs` undefined: it is tried no more. `gone`: nothing is to be sent there any more. */
		async failed(
			receiver: Receiver,
			delivery: ClaimedDelivery,
			attempt: DeliveryAttempt,
			{ nextMs, gone, nowMs }: { readonly nextMs: number | undefined; readonly gone: boolean; readonly nowMs: number },
		): Promise<void> {
			const { pk } = receiver;
			const tries = delivery.tries + 1;
			const since = sql`coalesce(${webhookEndpoints.failingSinceMs}, ${attempt.atMs})`;
			const { refused } = await write([
				triedStep(delivery, { ...attempt }, { ...nextOf(receiver, nextMs), tries }),
				updateStep(webhookEndpoints, { failingSinceMs: since }, eq(webhookEndpoints.pk, pk)),
			]);
			if (refused !== undefined) return;
			if (gone) return await disable(receiver, "gone", nowMs);
			if (nextMs === undefined && (await isFailing(pk, nowMs))) return await disable(receiver, "failing", nowMs);
			await warn(receiver, nowMs);
		},
	};

	/** The first letter, once. */
	async function warn(receiver: Receiver, nowMs: number): Promise<void> {
		const due = and(
			eq(webhookEndpoints.pk, receiver.pk),
			isNull(webhookEndpoints.warnedMs),
			lte(webhookEndpoints.failingSinceMs, nowMs - WARNED_AFTER_MS),
		);
		const found = await read(() => queries.select({ pk: webhookEndpoints.pk }).from(webhookEndpoints).where(due));
		if (found.length === 0) return;
		await write([
			updateStep(webhookEndpoints, { warnedMs: nowMs }, due, "moved"),
			letter("webhook_failing", receiver, nowMs),
		]);
	}
}

/** Nothing is sent any more to an endpoint that was disabled while this was on its way. */
function nextOf({ pk }: Receiver, nextMs: number | undefined) {
	if (nextMs === undefined) return { state: "failed", nextMs: null } as const;
	const isEnabled = sql`EXISTS (SELECT 1 FROM ${webhookEndpoints} WHERE ${webhookEndpoints.pk} = ${pk} AND ${webhookEndpoints.state} = 'enabled')`;
	return { state: sql`iif(${isEnabled}, 'pending', 'failed')`, nextMs: sql`iif(${isEnabled}, ${nextMs}, NULL)` };
}

/** To the Owner and Admins. */
function letter(template: "webhook_failing" | "webhook_disabled", { appPk, url }: Receiver, nowMs: number): Step {
	const app = sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.pk} = ${appPk})`;
	return { run: mailEach({ template, facts: { app, url }, to: noticedOf(appPk) }, nowMs) };
}
