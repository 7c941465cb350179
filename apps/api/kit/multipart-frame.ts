import { unreadable } from "./body.ts";

/* What is looked at of a multipart body (RFC 2046, 5.1) in front of its parser. */

/**
 * Any text of 70 characters at most that a quoted parameter holds as it is: some clients take letters that RFC 2046 does not name. With an empty one each
 * line that begins with two dashes would be a part.
 */
const BOUNDARY = /;[ \t]{0,40}boundary=(?:"([ !#-[\]-~]{0,69}[!#-[\]-~])"|([!#-:<-[\]-~]{1,70}))[ \t]{0,40}(?:;|$)/i;

/** @throws Failure bad_request where the Content-Type has no boundary of 1 to 70 characters */
export function boundaryOf({ headers }: Request): string {
	const [, quoted, plain] = BOUNDARY.exec(headers.get("content-type") ?? "") ?? [];
	const boundary = quoted ?? plain;
	if (boundary === undefined) throw unreadable("The Content-Type of a form names its boundary, of 1 to 70 characters.");
	return boundary;
}
