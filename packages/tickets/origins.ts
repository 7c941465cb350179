import { LOOPBACK } from "@svc/apps/profile/redirect-uris";

export const ORIGINS_MAX = 10;

/** What is wrong with an origin that a ticket is to be bound to; undefined when nothing is. A browser sends it letter for letter. */
export function originFault(origin: string): string | undefined {
	const url = URL.parse(origin);
	const form =
		"must be origins as browsers send them, such as https://app.example.com: without a path, a slash at the end or the usual port";
	if (url === null || url.origin !== origin) return form;
	if (url.hostname.includes("*")) return "must name each origin: * stands for nothing here";
	if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname))) return undefined;
	return "must begin with https://; http:// is for localhost, 127.0.0.1 and [::1] only";
}
