import { availableParallelism } from "node:os";
import type { Image } from "@svc/sdk/shapes";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/** What `bun start` adds to the environment; whatever is compared with the service gets it too. */
export const LAUNCH = {
	UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
	MALLOC_ARENA_MAX: "2",
	MALLOC_MMAP_THRESHOLD_: "1048576",
	MALLOC_TRIM_THRESHOLD_: "8388608",
	BUN_GC_TIMER_INTERVAL: "30000",
	NODE_ENV: "production",
};

/** The service sees many more requests from one key here than it would let a client send. */
const NO_RATE_LIMITS = { SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" };
/** What the tests leave out for the sake of time is here what is measured. */
const AS_BY_DEFAULT = { SVC_TUNING: "warm_sizes=on" };

export interface BenchService extends AsyncDisposable, Pick<ServerProcess, "baseUrl" | "cdnUrl"> {
	readonly pid: number;
	/** What a request to the API has to carry. */
	readonly headers: Readonly<Record<string, string>>;
	send(file: Blob, name: string, fields?: Readonly<Record<string, string>>): Promise<Response>;
	/** @throws Error when the service refuses. */
	upload(file: Blob, name: string, fields?: Readonly<Record<string, string>>): Promise<Image>;
	/** A counter or gauge, summed over its labels. @throws Error when nothing has been counted under this name */
	metric(name: string): Promise<number>;
}

/** The real program on a data folder of its own, launched as `npm start` launches it. `program` starts it on another runtime. */
export async function startBenchService(
	env: Readonly<Record<string, string>> = {},
	program?: readonly string[],
): Promise<BenchService> {
	const server = await startProcess(
		{ ...LAUNCH, ...NO_RATE_LIMITS, ...AS_BY_DEFAULT, ...env },
		{ ...(program && { program }) },
	);
	await server.ready();
	const key = await firstKey(server);
	const headers = { Authorization: `Bearer ${key}` };
	const send: BenchService["send"] = (file, name, fields = {}) => {
		const body = new FormData();
		for (const [field, value] of Object.entries(fields)) body.append(field, value);
		body.append("file", file, name);
		return fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
	};
	return {
		pid: server.process.pid,
		baseUrl: server.baseUrl,
		cdnUrl: server.cdnUrl,
		headers,
		send,
		async upload(file, name, fields) {
			const answer = await send(file, name, fields);
			if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
			return (await answer.json()) as Image;
		},
		async metric(name) {
			const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
			const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
			if (lines.length === 0) throw new Error(`there is no metric ${name}`);
			return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
		},
		async [Symbol.asyncDispose]() {
			await server.stop();
			await removeData(server.dataDir);
		},
	};
}

/** The first start prints its key a moment after it begins to answer. */
async function firstKey({ stdout }: ServerProcess): Promise<string> {
	for (let tries = 0; tries < 400; tries++) {
		const key = /svc_sk_test_[0-9A-Za-z]{38}/.exec(stdout())?.[0];
		if (key) return key;
		await Bun.sleep(10);
	}
	throw new Error("the first start printed no key");
}
