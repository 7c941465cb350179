import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

const USAGE = {
	object: "usage",
	monthly: { uploads: 1, uploads_limit: 100, uploads_remaining: 99, resets_at: "2026-02-01T00:00:00.000Z" },
	totals: { images_stored: 1, storage_used_bytes: 70, storage_limit_bytes: 1000, storage_remaining_bytes: 930 },
	plan: "free",
	limits_enforced: true,
	limits: { images: { used: 1, limit: 5000 }, users: { used: 0, limit: null } },
};

const OF_USER = { object: "user_usage", user_id: null, images: 1, bytes: 70, uploads_this_month: 1 };

/** What an App uses and holds. The lists by user and by month differ in their query alone. */
export const USAGE_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/usage$/, () => USAGE],
	["GET", /^\/v1\/apps\/[^/]+\/usage$/, () => listOf(OF_USER)],
	[
		"GET",
		/\/labels$/,
		() => ({ object: "labels", data: [{ key: "album", value: "pets", count: 2 }], truncated: false }),
	],
];
