import type { Access } from "@svc/apps/access";
import type { CallAccess } from "@svc/images/ports";
import { type StorageUsage, usageOf } from "@svc/images/usage/usage";
import type { Answer, Call, StorageCall } from "../call-types.ts";
import type { ApiRooms } from "../rooms.ts";
import type { Attempt } from "./callers.ts";

/** True for a call that changes nothing: it may begin before its caller is known. */
export function isRead({ request }: Call): boolean {
	return request.method === "GET";
}

export function attemptOf<Known extends Access>(
	rooms: ApiRooms,
	call: Call,
	access: Known & CallAccess,
	run: (call: StorageCall & { readonly access: Known & CallAccess }) => Promise<Answer>,
): Attempt {
	const headers: Record<string, string> = {};
	const addHeaders = (more: Readonly<Record<string, string>>) => {
		Object.assign(headers, more);
	};
	const count = counterOf(rooms, call, access);
	const usage = async () => usageOf(rooms.variant.usage.allowance(access), await count.read(), rooms.clock.now());
	let begun: Promise<Answer> | undefined;
	return {
		begin() {
			if (begun) return begun;
			// Along with whatever the function reads.
			if (isRead(call)) count.read().catch(() => undefined);
			begun = run({ ...call, access: { ...access, ...count.listening }, usage, addHeaders });
			return begun;
		},
		usage,
		headers,
	};
}

interface Counter {
	read(): Promise<StorageUsage>;
	readonly listening: Pick<CallAccess, "onCounted">;
}

/** The counters of the storage as the call leaves them, read as seldom as that allows. */
function counterOf({ images, clock, callers }: ApiRooms, call: Call, access: CallAccess): Counter {
	const { pk } = access.storage;
	const readNow = () => images.usage.read(pk, clock.now());
	if (isRead(call)) {
		let found: Promise<StorageUsage> | undefined;
		return {
			read() {
				found ??= readNow();
				return found;
			},
			listening: {},
		};
	}
	if (!callers.areFar) return { read: readNow, listening: {} };
	let counted: StorageUsage | undefined;
	// A PATCH changes no counter, so that what was read before it is as good.
	const unchanged = () => (call.request.method === "PATCH" ? access.foreseen?.usage(pk) : undefined);
	return {
		read: async () => counted ?? (await (unchanged() ?? readNow())),
		listening: {
			onCounted(by) {
				counted = by;
			},
		},
	};
}
