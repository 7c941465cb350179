/* Cookies of our own pages. */

/** Over https the `__Host-` prefix keeps other hosts of the domain from planting cookies; browsers do not allow it over http. */
export function cookieName(webOrigin: string, name: string): string {
	return `${webOrigin.startsWith("https:") ? "__Host-" : ""}${name}`;
}

/** The value of a cookie that a browser sent; null where there is none, or an empty one. */
export function readCookie(request: Request, webOrigin: string, name: string): string | null {
	const whole = cookieName(webOrigin, name);
	for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
		const place = pair.indexOf("=");
		if (place !== -1 && pair.slice(0, place).trim() === whole) return pair.slice(place + 1).trim() || null;
	}
	return null;
}
