import { inTime } from "@svc/base/pace/patience";
import type { Images } from "../room.ts";
import { ambiguous } from "./create-failure.ts";

const ONE_TRY_MS = 2_000;
const EVERY_MS = 500;
/** A database that is away for longer has people look at it; the sweep and the leases end what is left by then. */
const LIMIT_MS = 30 * 60_000;

/**
 * Tries once and waits for it, two seconds at most; after that it is tried again and again in the background until it is done. For what
 * must happen once the database answers again, whatever the request was told. `work` may run twice at once. Never rejects.
 * @param what for the log
 */
export async function keepTrying(
	room: Pick<Images, "clock" | "log" | "ticker">,
	what: string,
	imageId: string,
	work: () => Promise<unknown>,
): Promise<void> {
	// A try that hangs must not keep the next one waiting.
	const attempt = () =>
		inTime(work(), ONE_TRY_MS, ambiguous).then(
			() => true,
			() => false,
		);
	if (await attempt()) return;
	const untilMs = room.clock.now() + LIMIT_MS;
	room.log.warn(`${what} waits for the database`, { image: imageId });
	let trying = false;
	const stop = room.ticker.every(EVERY_MS, async () => {
		if (trying) return;
		trying = true;
		const done = await attempt();
		trying = false;
		if (done) stop();
		else if (room.clock.now() > untilMs) {
			stop();
			room.log.error(`${what} was given up`, { image: imageId });
		}
	});
}
