import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { FORM_CLIENTS } from "../../support/form-clients.ts";
import { plain } from "../../support/pictures.ts";
import { headersOf } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* What the clients of the world send for the name of a file, byte for byte, and what becomes of it: RFC 7578, RFC 6266 and the Fetch standard. */

const NAMES = {
	quote: 'a"b.jpg',
	japanese: "日本.jpg",
	joiner: "می\u200cخواهم.jpg",
	emoji: "👩\u200d👩\u200d👧.jpg",
	percent: "100%.jpg",
	escape: "a%22b.jpg",
	backslash: "a\\b.jpg",
	newline: "a\nb.jpg",
	signs: "a;b='c'.jpg",
} as const;
type Kind = keyof typeof NAMES;

/** What is answered. A name of three characters that browsers write otherwise is not told apart from these (Fetch); no name holds a path or a line end. */
const MEANT: Readonly<Record<Kind, string>> = { ...NAMES, escape: 'a"b.jpg', backslash: "b.jpg", newline: "ab.jpg" };

/** As the HTML standard says: Chromium, curl since 7.81, Node and Python since urllib3 2.0 send the very same. */
const HTML: Readonly<Record<Kind, string>> = {
	quote: '"a%22b.jpg"',
	japanese: '"日本.jpg"',
	joiner: '"می\u200cخواهم.jpg"',
	emoji: '"👩\u200d👩\u200d👧.jpg"',
	percent: '"100%.jpg"',
	escape: '"a%22b.jpg"',
	backslash: '"a\\b.jpg"',
	newline: '"a%0Ab.jpg"',
	signs: `"a;b='c'.jpg"`,
};

/** By the sources of the clients; a kind that is not here is one that the client refuses to send, or sends as a browser does. */
const DOTNET: Partial<Record<Kind, string>> = {
	japanese: `"=?utf-8?B?5pel5pysLmpwZw==?="; filename*=utf-8''%E6%97%A5%E6%9C%AC.jpg`,
	joiner: `"=?utf-8?B?2YXbjOKAjNiu2YjYp9mH2YUuanBn?="; filename*=utf-8''%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85.jpg`,
	emoji: `"=?utf-8?B?8J+RqeKAjfCfkanigI3wn5GnLmpwZw==?="; filename*=utf-8''%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7.jpg`,
	percent: `100%.jpg; filename*=utf-8''100%25.jpg`,
	escape: `a%22b.jpg; filename*=utf-8''a%2522b.jpg`,
	backslash: `"a\\b.jpg"; filename*=utf-8''a%5Cb.jpg`,
	signs: `"a;b='c'.jpg"; filename*=utf-8''a%3Bb%3D%27c%27.jpg`,
};

interface Written {
	readonly client: string;
	/** Of the disposition, up to the name of the file. */
	readonly start?: string;
	readonly sent: Partial<Record<Kind, string>>;
	/** Where it is otherwise meant than by all others. */
	readonly meant?: Partial<Record<Kind, string>>;
}

const WRITTEN: readonly Written[] = [
	{ client: "Chromium, curl, undici, Python requests", sent: HTML },
	{ client: ".NET", start: "name=file", sent: DOTNET, meant: { escape: "a%22b.jpg" } },
	{ client: ".NET with names in quotes", sent: DOTNET, meant: { escape: "a%22b.jpg" } },
	{
		client: ".NET without filename*",
		sent: { japanese: '"=?utf-8?B?5pel5pysLmpwZw==?="', joiner: '"=?utf-8?B?2YXbjOKAjNiu2YjYp9mH2YUuanBn?="' },
	},
	// What is not ASCII is lost before it is sent.
	{ client: "Apache, strict", sent: { japanese: '"??.jpg"', percent: '"100%.jpg"' }, meant: { japanese: "??.jpg" } },
	{
		client: "Apache since 5.5, strict",
		sent: { japanese: `"??.jpg"; filename*="UTF-8''%E6%97%A5%E6%9C%AC.jpg"`, percent: '"100%.jpg"' },
	},
	{
		client: "Apache, as browsers",
		sent: { japanese: '"日本.jpg"', joiner: HTML.joiner, emoji: HTML.emoji, signs: HTML.signs },
	},
	{
		client: "Apache, extended",
		sent: { japanese: `"%E6%97%A5%E6%9C%AC.jpg"; filename*="UTF-8''%E6%97%A5%E6%9C%AC.jpg"` },
	},
	// RFC 7578 lets it, and browsers' names with a percent look the same: it is kept as it came.
	{
		client: "Apache before 5.5, extended",
		sent: { japanese: '"%E6%97%A5%E6%9C%AC.jpg"' },
		meant: { japanese: "%E6%97%A5%E6%9C%AC.jpg" },
	},
	{ client: "curl before 7.81", sent: { quote: '"a\\"b.jpg"', backslash: '"a\\\\b.jpg"' } },
	{
		client: "Python with urllib3 1.26",
		sent: { quote: '"a%22b.jpg"', backslash: '"a\\\\b.jpg"', japanese: HTML.japanese },
	},
];

const service = serviceFor();
const picture = await plain(4, 3);
const FORM = { "Content-Type": "multipart/form-data; boundary=XX" };

async function namedBy(disposition: string): Promise<string> {
	const head = `--XX\r\nContent-Disposition: ${disposition}\r\nContent-Type: image/png\r\n\r\n`;
	const body = Buffer.concat([Buffer.from(head), picture, Buffer.from("\r\n--XX--\r\n")]);
	const headers = headersOf(service, { headers: FORM });
	const answer = await service.api("/v1/images", { method: "POST", headers, body });
	return answer.status === 201 ? ((await answer.json()) as Image).filename : await answer.text();
}

describe("the name of a file as its client writes it", () => {
	test.each(WRITTEN)(
		"$client: is what was meant, whatever is in it [image.fields.filename-multipart]",
		async (written) => {
			const { start = 'name="file"', sent, meant } = written;
			const wanted: Record<string, string> = { ...MEANT, ...meant };
			for (const [kind, parameter] of Object.entries(sent)) {
				const name = await namedBy(`form-data; ${start}; filename=${parameter}`);
				expect([kind, name]).toEqual([kind, wanted[kind] ?? ""]);
			}
		},
	);
});

describe("the bytes that are written down", () => {
	for (const { name, isMissing, send } of FORM_CLIENTS) {
		const note = isMissing ? " (SKIPPED: it is missing)" : "";
		test.skipIf(isMissing)(`are those that ${name} sends${note}`, async () => {
			const heads: string[] = [];
			await using server = Bun.serve({
				port: 0,
				async fetch(request) {
					const body = request.method === "POST" ? Buffer.from(await request.arrayBuffer()).toString() : "";
					const [, parameters] = /filename=([^\r]*)\r\n/.exec(body) ?? [];
					if (parameters !== undefined) heads.push(parameters);
					return new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } });
				},
			});
			await send(server.url.href, Object.values(NAMES));
			expect(heads).toEqual(Object.values(HTML));
		});
	}
});

describe("a text of a form that is none", () => {
	const form = async (part: string, head = "") => {
		const file = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
		const field = `\r\n--XX\r\nContent-Disposition: form-data; name="caption"\r\n${head}\r\n${part}\r\n--XX--\r\n`;
		const body = Buffer.concat([Buffer.from(file), picture, Buffer.from(field, "latin1")]);
		const headers = headersOf(service, { headers: FORM });
		const answer = await service.api("/v1/images", { method: "POST", headers, body });
		const { caption, error } = (await answer.json()) as { caption?: string; error?: { details: object } };
		return { status: answer.status, caption, fields: Object.keys(error?.details ?? {}) };
	};

	test("422 names the field, and nothing is stored; in the charset of its part it is read", async () => {
		expect(await form("caf\xe9")).toEqual({ status: 422, caption: undefined, fields: ["caption"] });
		expect(await form("caf\xe9", "Content-Type: text/plain; charset=x-none\r\n")).toMatchObject({ status: 422 });
		expect(await form("caf\xe9", "Content-Type: text/plain; charset=ISO-8859-1\r\n")).toMatchObject({
			caption: "café",
		});
		expect(await form("one\r\n--XXL two\r\nthree")).toMatchObject({
			status: 201,
			caption: "one\r\n--XXL two\r\nthree",
		});
	});
});
