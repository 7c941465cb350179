import type { Access } from "@svc/apps/access";
import { type StorageUsage, type Usage, usageOf } from "@svc/images/usage/usage";
import type { Call } from "./call-types.ts";
import type { ApiRooms } from "./rooms.ts";

/** The counters of one storage as a call leaves them. */
interface Counters {
	usage(): Promise<Usage>;
	/** Takes them from a commit of the call, so that nobody asks for them. */
	readonly onCounted: (counted: StorageUsage) => void;
}

/** Calls that change no counter: a PATCH neither makes images nor takes any away. */
const LEAVES_THEM: ReadonlySet<string> = new Set(["GET", "PATCH"]);

/** A call that leaves them as they are has them read at once, along with whatever it reads; any other when they are asked for. */
export function countersFor({ images, variant, clock }: ApiRooms, { request }: Call, access: Access): Counters {
	const read = () => images.usage.read(access.storage.pk, clock.now());
	const early = LEAVES_THEM.has(request.method) ? read() : undefined;
	// Whoever asks hears of it.
	early?.catch(() => undefined);
	let counted: StorageUsage | undefined;
	return {
		usage: async () => usageOf(variant.usage.allowance(access), counted ?? (await (early ?? read())), clock.now()),
		onCounted(by) {
			counted = by;
		},
	};
}

export function usageHeaders(usage: Usage): Record<string, string> {
	return {
		"X-Monthly-Uploads-Used": String(usage.uploadsThisMonth),
		"X-Monthly-Uploads-Limit": String(usage.uploadsLimit),
		"X-Monthly-Uploads-Remaining": String(Math.max(0, usage.uploadsLimit - usage.uploadsThisMonth)),
		"X-Storage-Used": String(usage.bytes),
		"X-Storage-Limit": String(usage.bytesLimit),
		"X-Storage-Remaining": String(Math.max(0, usage.bytesLimit - usage.bytes)),
	};
}
