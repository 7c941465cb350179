import type { Image } from "@svc/sdk/shapes";
import { form } from "./requests.ts";
import type { OpenService } from "./service.ts";

/* Creates without a key. */

type Fields = Readonly<Record<string, string>>;

export interface Stranger {
	/** The network address that the request comes from. */
	readonly address?: string;
	readonly headers?: Fields;
}

function headersOf({ address = "198.51.100.7", headers = {} }: Stranger): Fields {
	return { "X-Forwarded-For": address, ...headers };
}

export function uploadWithoutKey(
	service: OpenService,
	file: BlobPart | undefined,
	fields: Fields = {},
	stranger: Stranger = {},
): Promise<Response> {
	const body = form(file, "picture.png", fields);
	return service.api("/v1/images", { method: "POST", body, headers: headersOf(stranger) });
}

export function importWithoutKey(service: OpenService, body: unknown, stranger: Stranger = {}): Promise<Response> {
	const headers = { "Content-Type": "application/json", ...headersOf(stranger) };
	return service.api("/v1/images", { method: "POST", body: JSON.stringify(body), headers });
}

/** The image of a create that must succeed. */
export async function imageOf(response: Response): Promise<Image & { readonly public: boolean }> {
	if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Image & { readonly public: boolean };
}

/** What an answer says of the turns of its network. */
export function turnsOf({ headers }: Response) {
	const read = (name: string) => Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN);
	return { limit: read("Limit"), remaining: read("Remaining"), reset: read("Reset") };
}
