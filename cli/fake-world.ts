import type { Fetch } from "@svc/sdk/request";
import type { Terminal, World } from "./world.ts";

/** A process for tests: what it wrote is kept, what it sees is given. */
export interface FakeWorld extends World {
	/** Standard output so far. */
	outText(): string;
	/** Standard error so far. */
	errText(): string;
}

interface FakeOptions {
	readonly fetch?: Fetch;
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** Both outputs are terminals, and a person is there. */
	readonly isTerminal?: boolean;
	readonly columns?: number;
	readonly answer?: string;
	readonly input?: string;
	readonly signal?: AbortSignal;
}

function fakeTerminal(isTerminal: boolean, columns: number): Terminal & { readonly text: () => string } {
	let written = "";
	return {
		isTerminal,
		columns,
		text: () => written,
		write: async (text) => {
			written += text;
		},
	};
}

export function fakeWorld(options: FakeOptions = {}): FakeWorld {
	const { isTerminal = false, columns = 80 } = options;
	const out = fakeTerminal(isTerminal, columns);
	const err = fakeTerminal(isTerminal, columns);
	return {
		env: options.env ?? { SVC_API_KEY: "svc_sk_test_secret", SVC_BASE_URL: "http://svc.test" },
		cwd: options.cwd ?? "/nowhere",
		home: "/nowhere/home",
		checkout: undefined,
		runtime: "Test 1",
		out,
		err,
		outText: out.text,
		errText: err.text,
		canAsk: isTerminal,
		ask: async (question) => {
			await err.write(question);
			return options.answer ?? "";
		},
		readInput: async () => options.input ?? "",
		fetch: options.fetch ?? (async () => Promise.reject(new TypeError("no network in this test"))),
		now: () => 0,
		signal: options.signal ?? new AbortController().signal,
	};
}

export const FAKE_IMAGE = {
	id: "img_1",
	object: "image",
	url: "http://cdn.test/t/img_1.png",
	sizes: { small: { url: "http://cdn.test/t/img_1.png?size=s", width: 1, height: 1 } },
	filename: "cat.png",
	format: "png",
	width: 3,
	height: 2,
	bytes: 70,
	status: "ready",
	published_at: "2026-01-01T00:00:00.000Z",
	expires_at: null,
	created_at: "2026-01-01T00:00:00.000Z",
	caption: "A cat",
	metadata: {},
	labels: { album: "pets", "a.b": "dotted" },
	nsfw: false,
};

const FAKE_KEY = {
	id: "key_1",
	object: "key",
	name: "First",
	reach: "app",
	permissions: ["read", "write"],
	prefix: "svc_sk_test_",
	last4: "wxyz",
	last_used_at: null,
	expires_at: null,
	created_at: "2026-01-01T00:00:00.000Z",
	app: { id: "app_1", object: "app", name: "My first App" },
};

export interface Sent {
	readonly method: string;
	/** With its query, decoded. */
	readonly path: string;
	readonly headers: Headers;
	readonly body: unknown;
}

/** What a healthy service answers to a method and an address without its query; the first that fits. */
export type FakeAnswer = readonly [method: string, path: RegExp, answer: (path: string) => unknown];

export function listOf(...data: readonly unknown[]): unknown {
	return { object: "list", data, pagination: { has_more: false, next_cursor: null, next_url: null } };
}

const lastOf = (path: string) => path.split("/").at(-1);

/** By noun; a new group of commands brings its own. */
const ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/key$/, () => FAKE_KEY],
	["GET", /^\/v1\/images$/, () => listOf(FAKE_IMAGE, { ...FAKE_IMAGE, id: "img_2" })],
	["POST", /^\/v1\/images$/, () => FAKE_IMAGE],
	["DELETE", /./, (path) => ({ id: lastOf(path), object: "image", deleted: true })],
	["GET", /^\/v1\/apps$/, () => listOf()],
	["GET", /^\/v1\/usage$/, () => ({ object: "usage" })],
];

function answerTo({ method, path }: Sent): unknown {
	const [pathname = ""] = path.split("?");
	const found = ANSWERS.find(([known, pattern]) => known === method && pattern.test(pathname));
	return found ? found[2](pathname) : FAKE_IMAGE;
}

/** A service that answers what a healthy one would, and keeps what it was sent. */
export function fakeService(reply?: (sent: Sent) => Response | undefined): {
	readonly fetch: Fetch;
	readonly sent: Sent[];
} {
	const sent: Sent[] = [];
	return {
		sent,
		fetch: async (url, init) => {
			const { pathname, search } = new URL(url);
			const { method = "GET", body } = init;
			const one = { method, path: decodeURIComponent(pathname + search), headers: new Headers(init.headers), body };
			sent.push(one);
			return reply?.(one) ?? Response.json(answerTo(one), { headers: { "x-request-id": "req_1" } });
		},
	};
}

/** An error answer in the service's envelope. */
export function refusal(status: number, code: string, more: Record<string, unknown> = {}): Response {
	const error = { type: "some_error", code, message: `It was ${code}.`, ...more };
	return Response.json({ error }, { status, headers: { "x-request-id": "req_9" } });
}
