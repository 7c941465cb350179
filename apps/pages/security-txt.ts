import { missing } from "./kit/layout.tsx";
import type { PagesRooms } from "./kit/rooms.ts";
import type { Route } from "./kit/visit.ts";

/* Where people write who found a fault (RFC 9116). */

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. The file says so at each request, so that it never ends while the service runs. */
const VALID_DAYS = 180;

export function securityRoute({ addresses, supportEmail, clock }: PagesRooms): Route {
	const path = "/.well-known/security.txt";
	return {
		path,
		get: async () => {
			if (supportEmail === undefined) throw missing();
			const ends = new Date(Math.ceil(clock.now() / DAY_MS) * DAY_MS + VALID_DAYS * DAY_MS);
			const lines = [
				`Contact: mailto:${encodeURI(supportEmail)}`,
				`Expires: ${ends.toISOString()}`,
				"Preferred-Languages: en",
				`Canonical: ${addresses.web}${path}`,
			];
			const headers = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
			return new Response(`${lines.join("\n")}\n`, { headers });
		},
	};
}
