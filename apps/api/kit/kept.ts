import { isKnown } from "@svc/base/http/conditions";

/** A file that is the same for everybody until the next release, with a name for its version. */
export interface KeptFile {
	readonly content: string | Uint8Array<ArrayBuffer>;
	readonly etag: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** @param headers its type, and whatever else goes with it */
export async function keepFile(
	content: string | Uint8Array<ArrayBuffer>,
	headers: Readonly<Record<string, string>>,
): Promise<KeptFile> {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return { content, etag: `"${digest.slice(0, 12).toHex()}"`, headers };
}

/** The file, or 304 for a client that has this version. */
export function sendFile(request: Request, { content, etag, headers }: KeptFile): Response {
	const all = { ...headers, ETag: etag, "Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff" };
	if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers: all });
	return new Response(content, { headers: all });
}
