import type { Fetch } from "@svc/sdk/request";
import { plain } from "./pictures.ts";

/* Places that collections come from, as small as they can be, for commands whose service is one that is made up. */

const AT = "2019-05-01T10:00:00.000Z";

/** What the programs of these places are given, here as in a person's shell. */
export const PLACE_KEYS = {
	AWS_ACCESS_KEY_ID: "AKEXAMPLE",
	AWS_SECRET_ACCESS_KEY: "svc_sk_test_secret",
};

const BUCKET = `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>
<Contents><Key>2019/cat.jpg</Key><LastModified>${AT}</LastModified><Size>70</Size></Contents></ListBucketResult>`;

/** Lists by their address, and then whatever else these places have: pictures. */
const ANSWERS: readonly (readonly [address: RegExp, answer: () => Response | Promise<Response>])[] = [
	[/amazonaws\.com\/[\w-]+\?/, () => new Response(BUCKET)],
	[/amazonaws\.com\//, picture],
];

async function picture(): Promise<Response> {
	return new Response(await plain(1, 1));
}

/** Answers for the other places, and leaves the rest to the service. */
export function withPlaces(service: Fetch): Fetch {
	return async (url, init) => {
		const [, answer] = ANSWERS.find(([address]) => address.test(url)) ?? [];
		return await (answer?.() ?? service(url, init));
	};
}
