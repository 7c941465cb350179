import { afterAll, beforeAll } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiRooms } from "@svc/api/kit/rooms";
import type { Log } from "@svc/base/ports";
import type { Pool } from "@svc/imaging/workers/pool/pool";
import { firstStart } from "@svc/operator/bootstrap";
import { readConfig } from "@svc/server/config/config";
import { listen } from "@svc/server/door/listen";
import { openWorkers } from "@svc/server/wire/pictures";
import { wire } from "@svc/server/wire/service";
import type { Service } from "@svc/server/wire/service-interface";
import { checkAnswer } from "./answers.ts";
import { type Dns, openDns } from "./dns.ts";
import { keepKeyring } from "./keyrings.ts";
import { putMigrated } from "./migrated-file.ts";
import { openDoor } from "./over-http.ts";
import { freePorts } from "./ports.ts";
import { removeData, withSecret } from "./process.ts";

/** A clock that a test can set; it runs on from there. */
export class TestClock {
	#offsetMs = 0;

	now(): number {
		return Date.now() + this.#offsetMs;
	}

	advance(milliseconds: number): void {
		this.#offsetMs += milliseconds;
	}

	set(atMs: number): void {
		this.#offsetMs = atMs - Date.now();
	}
}

/** Keeps what was logged, for tests that look for it. */
export class TestLog implements Log {
	readonly lines: { level: string; message: string; facts: unknown }[] = [];
	debug = this.#at("debug");
	info = this.#at("info");
	warn = this.#at("warn");
	error = this.#at("error");

	#at(level: string) {
		return (message: string, facts: unknown = {}): void => {
			this.lines.push({ level, message, facts });
		};
	}
}

export interface OpenService extends Service {
	readonly clock: TestClock;
	readonly log: TestLog;
	readonly dataDir: string;
	/** The App-wide key of the first start. */
	readonly apiKey: string;
	/** The first operator's token of every scope. */
	readonly token: string;
	/** A request to the API, by path, with the first key unless `init` brings its own headers. */
	api(path: string, init?: RequestInit): Promise<Response>;
	/** A request by absolute address, as a browser would send it. */
	open(url: string, init?: RequestInit): Promise<Response>;
}

type Environment = Readonly<Record<string, string>>;

/** Tests call faster than any App; those about rate limits set their own. */
const UNLIMITED: Environment = {
	SVC_KEY_RATE: "0",
	SVC_CREATE_RATE: "0",
	SVC_TUNING: "warm_sizes=off,compact_after=0",
};

/** The options of all of them: of one that stands there twice the last counts. */
function tuning(...all: readonly Environment[]): Environment {
	return { SVC_TUNING: all.map(({ SVC_TUNING = "" }) => SVC_TUNING).join(",") };
}

/** The interface version of tests that name none. */
const VARIANT: Environment = process.env.SVC_TEST_VARIANT ? { SVC_VARIANT: process.env.SVC_TEST_VARIANT } : {};

/** The pool of workers that all services of this process share: a test file may open a hundred services. */
let pool: Pool | undefined;

/** Undefined for a service that is to have its own, because of what its environment says about them. */
function shared(env: Environment): Pool | undefined {
	if (Object.keys(env).some((name) => name.startsWith("SVC_RENDER_"))) return undefined;
	pool ??= openWorkers(readConfig({}));
	return pool;
}

/** The DNS of services that are given none: it knows no names. */
let noNames: Promise<Dns> | undefined;

/** The whole service in this process, on a folder of its own, without a port. */
export async function openService(env: Environment = {}): Promise<OpenService> {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
	noNames ??= openDns();
	const config = readConfig({
		SVC_DATA_DIR: dataDir,
		SVC_DNS_SERVER: (await noNames).address,
		...UNLIMITED,
		...VARIANT,
		...withSecret(env),
		...tuning(UNLIMITED, env),
	});
	const isRemote = config.database.kind !== "file";
	if (config.database.kind === "file" && !existsSync(config.database.path)) await putMigrated(config.database.path);
	const clock = new TestClock();
	const log = new TestLog();
	const workers = shared(env);
	const service = await wire(config, { clock, log, ...(workers && { workers }) });
	keepKeyring(service.database, service.rooms.people.keyring);
	const readDocument = async () => {
		const address = new URL("/openapi.json", config.baseUrl);
		const answer = await service.handle(new Request(address, { headers: { Host: address.host } }));
		return await answer.json();
	};
	const isImageHost = (host: string) => service.rooms.addresses.hosts?.appAt(host) !== undefined;
	const deployment = {
		isImageHost,
		variant: config.variant,
		base: config.baseUrl,
		cdn: config.cdnUrl,
		readDocument,
		isRemote,
	};
	const first = await firstStart(service.rooms.operator, config.mode);
	const apiKey = first?.apiKey ?? "";
	const door = process.env.SVC_TEST_OVER_HTTP ? await openDoor(service.handle, log) : undefined;
	const open = async (url: string, init: RequestInit = {}) => {
		const headers = new Headers(init.headers);
		headers.set("Host", new URL(url).host);
		const request = new Request(url, { ...init, headers });
		const answer = await (door ? door.send(request, init.signal ?? undefined) : service.handle(request));
		await checkAnswer(request, answer, deployment);
		return answer;
	};
	return {
		...service,
		clock,
		log,
		dataDir,
		apiKey,
		token: first?.token ?? "",
		open,
		api: (path, init = {}) =>
			open(`${config.baseUrl}${path}`, { ...init, headers: init.headers ?? { Authorization: `Bearer ${apiKey}` } }),
		async close() {
			await door?.close();
			await service.close();
			await removeData(dataDir);
		},
	};
}

/**
 * The whole service for the tests of a file or a `describe`: opened before them, closed after them.
 * It is filled by a hook, so only tests and later hooks may use it.
 */
export function serviceFor(env: Environment = {}): OpenService {
	const service = madeBefore(() => openService(env));
	afterAll(() => service.close());
	return service;
}

/** What a hook makes before the tests, as a constant that they share. */
export function madeBefore<Made extends object>(make: () => Promise<Made>): Made {
	const made = {} as Made;
	beforeAll(async () => {
		Object.assign(made, await make());
	});
	return made;
}

export interface StartedService extends OpenService {
	readonly baseUrl: string;
	readonly cdnUrl: string;
	stop(): Promise<void>;
}

/** The same, listening on two free ports of loopback. */
export async function startService(env: Environment = {}): Promise<StartedService> {
	const [api, cdn] = await freePorts(2);
	const baseUrl = `http://localhost:${api}`;
	const cdnUrl = `http://localhost:${cdn}`;
	const addresses = { SVC_BASE_URL: baseUrl, SVC_WEB_URL: baseUrl, SVC_CDN_URL: cdnUrl };
	const service = await openService({ ...addresses, ...env });
	const ports = [Number(api), Number(cdn)];
	service.startJobs();
	const listening = await listen(
		ports.map((port) => ({ hostname: "127.0.0.1", port })),
		service.handle,
		service.log,
	);
	return {
		...service,
		baseUrl,
		cdnUrl,
		async stop() {
			await listening.stop(1_000);
			await service.close();
		},
	};
}

type RoomName = "people" | "apps" | "images" | "billing" | "keys" | "jobs" | "connect";

/** The same rooms with something else in one of them. */
export function changedRoom<Name extends RoomName>(
	rooms: ApiRooms,
	name: Name,
	parts: Partial<ApiRooms[Name]>,
): ApiRooms {
	return { ...rooms, [name]: { ...rooms[name], ...parts } };
}
