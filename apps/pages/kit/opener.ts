/*
 * Apps open the way through sign-in and payment as a popup, which answers the page that opened it once it is back at the App. With
 * `same-origin` on any page of that way a browser cuts the two apart for good. Nothing else of ours is opened so.
 */

const WAYS = ["/connect", "/billing", "/checkout"];
/** The sign-in before the card. */
const BETWEEN: ReadonlySet<string> = new Set(["/account/sign-in", "/account/code", "/account/resend", "/account/link"]);

/** The page's Cross-Origin-Opener-Policy. */
export function openerPolicy({ pathname, searchParams }: URL): "unsafe-none" | "same-origin" {
	const onWay = WAYS.some((start) => pathname === start || pathname.startsWith(`${start}/`));
	return onWay || (BETWEEN.has(pathname) && searchParams.has("card")) ? "unsafe-none" : "same-origin";
}
