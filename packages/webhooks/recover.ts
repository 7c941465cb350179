import { parseTypes } from "@svc/events/events";
import { type JobRun, JobStopped } from "@svc/jobs/jobs";
import type { Webhooks } from "./room.ts";

const EVENTS_AT_ONCE = 100;

/** Makes an endpoint get what it did not get since then; safe to repeat. */
export async function recover(
	room: Webhooks,
	run: JobRun<"webhook.recover">,
): Promise<{ readonly deliveries: number }> {
	const { endpointId, sinceMs } = run.job.payload;
	let [afterPk, deliveries] = [0, 0];
	for (;;) {
		// Looked up again each time: an endpoint that was disabled or removed meanwhile gets nothing.
		const receiver = (await room.deliveries.listReceivers(undefined)).find(({ id }) => id === endpointId);
		if (receiver === undefined) return { deliveries };
		const range = { types: parseTypes(receiver.types), afterPk, sinceMs: sinceMs - 1, limit: EVENTS_AT_ONCE };
		const found = await room.events.store.list({ appPk: receiver.appPk, userId: undefined }, range);
		const last = found.at(-1);
		if (last === undefined) return { deliveries };
		const pks = found.map(({ pk }) => pk);
		const made = await room.deliveries.recover(receiver.pk, pks, room.clock.now());
		if (!(await room.jobs.store.advance(run.job.lease, made))) throw new JobStopped("another worker has this job");
		deliveries += made;
		afterPk = last.pk;
		await run.yieldToRequests();
	}
}
