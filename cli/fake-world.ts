import { join } from "node:path";
import type { Fetch } from "@svc/sdk/request";
import { TEAM_ANSWERS } from "./commands/apps/fake.ts";
import { BILLING_ANSWERS } from "./commands/billing/fake.ts";
import { IMAGE_ANSWERS } from "./commands/images/fake.ts";
import { MODERATION_ANSWERS } from "./commands/moderation/fake.ts";
import { OPERATOR_ANSWERS } from "./commands/operator/fake.ts";
import { PLAN_ANSWERS } from "./commands/plans/fake.ts";
import { SERVER_ANSWERS } from "./commands/server/fake.ts";
import { ACCOUNT_ANSWERS } from "./commands/sessions/fake.ts";
import { USAGE_ANSWERS } from "./commands/usage/fake.ts";
import { FAKE_IMAGE, listOf } from "./fake-objects.ts";
import type { RunShell } from "./handover/shell.ts";
import type { Process, Terminal } from "./kit/process.ts";

/** A process for tests: what it wrote is kept, what it sees is given. */
export interface FakeWorld extends Process {
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
	readonly runShell?: RunShell;
	readonly browse?: (url: string) => Promise<boolean>;
}

function fakeTerminal(isTerminal: boolean, columns: number): Terminal & { readonly text: () => string } {
	let written = "";
	return {
		isTerminal,
		columns,
		rows: 24,
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
		home: join(options.cwd ?? "/nowhere", "home"),
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
		browse: options.browse ?? (async () => true),
		runShell: options.runShell ?? (async () => ({ exit: 0, tookInput: true })),
		now: () => 0,
		date: () => new Date("2026-01-01T00:00:00.000Z"),
		signal: options.signal ?? new AbortController().signal,
	};
}

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

const lastOf = (path: string) => path.split("/").at(-1);

/** By noun; a new group of commands brings its own. */
const ANSWERS: readonly FakeAnswer[] = [
	...IMAGE_ANSWERS,
	...MODERATION_ANSWERS,
	...PLAN_ANSWERS,
	...BILLING_ANSWERS,
	...USAGE_ANSWERS,
	...OPERATOR_ANSWERS,
	...TEAM_ANSWERS,
	...ACCOUNT_ANSWERS,
	...SERVER_ANSWERS,
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

/** What was deleted is gone from the transform host too. */
function isGone({ path }: Sent, sent: readonly Sent[]): boolean {
	const [, id] = /^\/t\/(\w+)\./.exec(path) ?? [];
	return id !== undefined && sent.some((earlier) => earlier.method === "DELETE" && earlier.path.endsWith(`/${id}`));
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
			const answer = reply?.(one) ?? (isGone(one, sent) ? refusal(404, "not_found") : answerTo(one));
			return answer instanceof Response ? answer : Response.json(answer, { headers: { "x-request-id": "req_1" } });
		},
	};
}

/** An error answer in the service's envelope. */
export function refusal(status: number, code: string, more: Record<string, unknown> = {}): Response {
	const error = { type: "some_error", code, message: `It was ${code}.`, ...more };
	return Response.json({ error }, { status, headers: { "x-request-id": "req_9" } });
}
