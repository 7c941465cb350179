import type { Fetch } from "@svc/sdk/wire/request";
import { plain } from "./pictures.ts";

/* Places that collections come from, as small as they can be, for commands whose service is one that is made up. */

const AT = "2019-05-01T10:00:00.000Z";

/** What the programs of these places are given, here as in a person's shell. */
export const PLACE_KEYS = {
	AWS_ACCESS_KEY_ID: "AKEXAMPLE",
	AWS_SECRET_ACCESS_KEY: "svc_sk_test_secret",
	CLOUDINARY_URL: "cloudinary://123456:svc_sk_test_secret@demo",
	CLOUDFLARE_API_TOKEN: "svc_sk_test_secret",
	CLOUDFLARE_ACCOUNT_ID: "abc123",
	SUPABASE_URL: "https://demo.supabase.co",
	SUPABASE_SERVICE_ROLE_KEY: "svc_sk_test_secret",
	UPLOADCARE_PUBLIC_KEY: "demopublickey",
	UPLOADCARE_SECRET_KEY: "svc_sk_test_secret",
};

const BUCKET = `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>
<Contents><Key>2019/cat.jpg</Key><LastModified>${AT}</LastModified><Size>70</Size></Contents></ListBucketResult>`;

const RESOURCE = {
	public_id: "products/cat",
	format: "jpg",
	created_at: AT,
	secure_url: "https://res.cloudinary.com/demo/cat.jpg",
};
const UPLOADED = {
	uuid: "1",
	original_filename: "cat.jpg",
	original_file_url: "https://ucarecdn.com/1/cat.jpg",
	is_image: true,
};
const FILE = { name: "cat.jpg", id: "1", created_at: AT, metadata: { size: 70, mimetype: "image/jpeg" } };

/** Lists by their address, and then whatever else these places have: pictures. */
const ANSWERS: readonly (readonly [address: RegExp, answer: (body: string) => Response | Promise<Response>])[] = [
	[/amazonaws\.com\/[\w-]+\?/, () => new Response(BUCKET)],
	[/amazonaws\.com\//, picture],
	[/cloudinary\.com\/.*\/upload\?/, () => Response.json({ resources: [RESOURCE] })],
	[/cloudinary\.com\/.*\/(private|authenticated)\?/, () => Response.json({ resources: [] })],
	[/cloudflare\.com\/.*\/images\/v2\?/, () => Response.json({ result: { images: [{ id: "cat", uploaded: AT }] } })],
	[/cloudflare\.com\//, picture],
	[/supabase\.co\/.*\/bucket\//, () => Response.json({ public: true })],
	[/supabase\.co\/.*\/list\//, (body) => Response.json(body.includes('"offset":0') ? [FILE] : [])],
	[/uploadcare\.com\//, () => Response.json({ next: null, results: [UPLOADED] })],
];

async function picture(): Promise<Response> {
	return new Response(await plain(1, 1));
}

/** Answers for the other places, and leaves the rest to the service. */
export function withPlaces(service: Fetch): Fetch {
	return async (url, init) => {
		const [, answer] = ANSWERS.find(([address]) => address.test(url)) ?? [];
		return await (answer?.(String(init.body)) ?? service(url, init));
	};
}
