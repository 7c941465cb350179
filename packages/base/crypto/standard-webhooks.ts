import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** The headers of Standard Webhooks; every secret that is valid signs. `id` is the event's. */
export function signedHeaders(
	{ id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
	secrets: readonly string[],
): Readonly<Record<string, string>> {
	const sign = (secret: string) => {
		const key = Buffer.from(secret.slice(PREFIX.length), "base64");
		return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
	};
	return {
		"webhook-id": id,
		"webhook-timestamp": String(seconds),
		"webhook-signature": secrets.map(sign).join(" "),
	};
}
