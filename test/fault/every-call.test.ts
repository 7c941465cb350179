import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstApp, setPlan } from "../support/apps.ts";
import { censusOf, openDescriptors } from "../support/census.ts";
import { limitMs } from "../support/limits.ts";
import { noise } from "../support/pictures.ts";
import { removeData } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { found } from "./scoreboard.ts";
import {
	type CallClass,
	CLASSES,
	ERRORS,
	type ErrorName,
	type ShimmedProcess,
	shimNote,
	startShimmed,
	withoutShim,
} from "./shim.ts";

/*
 * Every system call can fail. One that a create, a delete, a rendition or a backup makes fails, then the next one, until none is left. The
 * answer is never the client's fault, what did not happen is not acknowledged, and the next try succeeds.
 */

/** Every how many calls one fails; 1 is each of them, and then with every error. */
const EVERY = Number(process.env.SVC_TEST_EVERY_CALL ?? 4);
const MAX_CALLS = 400;
/** Processes that were started since, and connections that are kept. */
const DESCRIPTORS_SLACK = 60;
const DAY_MS = 86_400_000;
const NAMES = Object.keys(ERRORS) as ErrorName[];
const picture = await noise(64, 48);

let server: ShimmedProcess;
let dataDir = "";
let descriptors = 0;
let env: Record<string, string> = {};
let headers: Record<string, string> = {};
let operator: Record<string, string> = {};
/** Images that were acknowledged and not deleted. */
const kept = new Set<string>();
const tally = { tried: 0, refused: 0 };

beforeAll(async () => {
	if (withoutShim) return;
	dataDir = await mkdtemp(join(tmpdir(), "svc-calls-"));
	env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
	const service = await openService(env);
	await setPlan(service.database, (await firstApp(service.database)).id, "unlimited");
	headers = { Authorization: `Bearer ${service.apiKey}` };
	operator = { Authorization: `Bearer ${service.token}` };
	await service.close();
	server = await startShimmed(env);
	await server.ready();
	descriptors = await openDescriptors(await server.pid());
}, 120_000);

afterAll(async () => {
	if (withoutShim) return;
	server.process.kill("SIGKILL");
	await server.process.exited;
	await removeData(dataDir);
	found("every call fails", { ...tally, every: EVERY });
});

interface Answer {
	readonly status: number;
	readonly code: string;
	readonly id: string;
	readonly bytes: number;
}

async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
	const url = path.startsWith("http") ? path : `${server.baseUrl}${path}`;
	const answer = await fetch(url, { method, ...init, headers: { ...headers, ...init.headers } });
	const bytes = await answer.bytes();
	const isJson = answer.headers.get("Content-Type")?.includes("json");
	const body = (isJson ? JSON.parse(new TextDecoder().decode(bytes)) : {}) as { id?: string; error?: { code: string } };
	return { status: answer.status, code: body.error?.code ?? "", id: body.id ?? "", bytes: bytes.length };
}

function create(key?: string): Promise<Answer> {
	const sent = key === undefined ? {} : { "Idempotency-Key": key };
	return ask("POST", "/v1/images", { body: form(picture, "a.jpg"), headers: sent });
}

/** The id of an image that must be stored. */
async function made(): Promise<string> {
	const answer = await create();
	if (answer.status !== 201) throw new Error(`not stored: ${JSON.stringify(answer)} ${server.stderr().slice(-2_000)}`);
	return answer.id;
}

const remove = (id: string) => ask("DELETE", `/v1/images/${id}`);
const urlOf = async (id: string) => {
	const answer = await fetch(`${server.baseUrl}/v1/images/${id}`, { headers });
	return answer.status === 200 ? ((await answer.json()) as { url: string }).url : undefined;
};

/** What may be said of a fault of this machine. */
function expectOurs({ status, code }: Answer, codes: readonly string[]): void {
	if (status < 300) return;
	tally.refused += 1;
	expect(status).toBeGreaterThanOrEqual(500);
	expect(codes).toContain(code);
}

/** One operation, with a call of it that fails. */
interface Operation {
	/** What has to be there before. */
	prepare(): Promise<string>;
	run(given: string, turn: number): Promise<Answer>;
	/** Looks at what came of it, with all calls working again, and tries once more. */
	inspect(answer: Answer, given: string, turn: number): Promise<void>;
	readonly classes?: readonly CallClass[];
	readonly everyTimes?: number;
}

const keyOf = (turn: number) => (turn % 2 === 0 ? `turn-${turn}` : undefined);

const OPERATIONS: Readonly<Record<string, Operation>> = {
	create: {
		prepare: async () => "",
		run: (_, turn) => create(keyOf(turn)),
		async inspect(answer, _, turn) {
			expectOurs(answer, ["upload_failed", "create_outcome_ambiguous", "app_context_unavailable", "server_error"]);
			const ambiguous = answer.code === "create_outcome_ambiguous";
			if (answer.status === 201) kept.add(answer.id);
			const again = await create(keyOf(turn));
			expect(again.status).toBe(201);
			kept.add(again.id);
			if (answer.status === 201 && keyOf(turn)) expect(again.id).toBe(answer.id);
			// Without a key nobody can say whether it happened: it is there, whole, or it is not.
			if (ambiguous && !keyOf(turn)) await adoptUnknown();
			expect((await imagesThere()).sort()).toEqual([...kept].sort());
			for (const id of new Set([answer.id, again.id].filter((one) => one !== ""))) {
				expect((await ask("GET", (await urlOf(id)) ?? "")).status).toBe(200);
				expect((await remove(id)).status).toBe(200);
				kept.delete(id);
			}
		},
	},
	delete: {
		prepare: made,
		run: remove,
		async inspect(answer, id) {
			expectOurs(answer, ["delete_failed", "app_context_unavailable", "server_error"]);
			const there = (await urlOf(id)) !== undefined;
			expect(there).toBe(answer.status !== 200);
			if (there) expect((await remove(id)).status).toBe(200);
		},
	},
	rendition: {
		prepare: made,
		run: async (id, turn) => ask("GET", `${await urlBefore(id)}?w=${16 + (turn % 48)}&format=png`),
		async inspect(answer, id, turn) {
			expectOurs(answer, ["server_error", "upload_failed"]);
			const again = await ask("GET", `${await urlOf(id)}?w=${16 + (turn % 48)}&format=png`);
			expect(again.status).toBe(200);
			if (answer.status === 200) expect(answer.bytes).toBe(again.bytes);
			expect((await remove(id)).status).toBe(200);
		},
	},
	backup: {
		prepare: async () => "",
		run: async () => {
			const started = await ask("POST", "/v1/operator/backups", { headers: operator });
			return started.status < 300 ? await ended(started.id) : started;
		},
		async inspect(answer) {
			expectOurs(answer, ["server_error", "app_context_unavailable"]);
			const { id } = await ask("POST", "/v1/operator/backups", { headers: operator });
			expect((await ended(id)).code).toBe("done");
		},
		classes: ["open", "write", "fsync", "rename"],
		everyTimes: 6,
	},
};

/** The address is looked up before anything fails. */
const urls = new Map<string, string>();
async function urlBefore(id: string): Promise<string> {
	return urls.get(id) ?? "";
}

async function imagesThere(): Promise<string[]> {
	const answer = await fetch(`${server.baseUrl}/v1/images?limit=100`, { headers });
	return ((await answer.json()) as { data: readonly { id: string }[] }).data.map(({ id }) => id);
}

async function adoptUnknown(): Promise<void> {
	for (const id of await imagesThere()) kept.add(id);
}

/** The job's state as the code, once it has ended. */
async function ended(id: string): Promise<Answer> {
	for (;;) {
		const answer = await fetch(`${server.baseUrl}/v1/jobs/${id}`, { headers: operator });
		const { state } = (await answer.json()) as { state?: string };
		if (state === "done" || state === "failed") return { status: 200, code: state, id, bytes: 0 };
		await Bun.sleep(20);
	}
}

/** Goes through all calls of one class that an operation makes. */
async function failEach(operation: Operation, of: CallClass): Promise<void> {
	const step = EVERY * (EVERY === 1 ? 1 : (operation.everyTimes ?? 1));
	for (let nth = 1; nth <= MAX_CALLS; nth += step) {
		const errors = EVERY === 1 ? NAMES : [NAMES[((nth / step) % NAMES.length) | 0] ?? "EIO"];
		let failed = false;
		for (const error of errors) failed = (await failOne(operation, of, error, nth)) || failed;
		if (!failed) return;
	}
}

async function failOne(operation: Operation, of: CallClass, error: ErrorName, nth: number): Promise<boolean> {
	const given = await operation.prepare();
	if (given !== "") urls.set(given, (await urlOf(given)) ?? "");
	const turn = tally.tried++;
	await server.arm(of, error, nth);
	const answer = await operation.run(given, turn);
	const { failed } = await server.disarm();
	try {
		await operation.inspect(answer, given, turn);
	} catch (cause) {
		throw new Error(`${of} ${nth} failed with ${error}, answered ${JSON.stringify(answer)}`, { cause });
	}
	return failed;
}

describe.skipIf(withoutShim)(`every call that fails${shimNote}`, () => {
	describe.each(Object.entries(OPERATIONS))("in one %s", (_, operation) => {
		test.each(operation.classes ?? [...CLASSES])(
			"%s: the answer is right in kind, and the next try succeeds",
			(of) => failEach(operation, of),
			limitMs(MAX_CALLS, 10_000),
		);
	});

	test("leaves no descriptor, no file and no row behind", async () => {
		expect(await openDescriptors(await server.pid())).toBeLessThan(descriptors + DESCRIPTORS_SLACK);
		expect(await server.stop()).toBe(0);
		// The function names a folder of its own; this one has the blobs of the process.
		const service = { ...(await openService(env)), dataDir };
		service.clock.advance(2 * DAY_MS);
		while ((await service.sweep()).blobs > 0);
		const { blobs, files, images, incoming, usage, counted } = await censusOf(service);
		expect([blobs.pending, blobs.dead, incoming]).toEqual([[], [], []]);
		expect(files).toEqual([...blobs.live].sort());
		expect(files).toHaveLength(images.length);
		expect(usage).toEqual(counted);
		await service.close();
	}, 120_000);
});
