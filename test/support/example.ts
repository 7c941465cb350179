import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { EXAMPLE_SHEETS } from "@svc/base/processes/programs";
import { packSdk } from "@svc/deploy/sdk-package";
import { freePorts } from "./ports.ts";
import { type StartedService, startService } from "./service.ts";

/* For tests only: an example as its reader runs it out of its archive, by `npm start`, beside a service. */

export const EXAMPLES = join(import.meta.dirname, "../../examples");

/** What an example depends on comes from the npm registry, as it does for its reader. With CI set, a missing registry fails instead. */
const hasRegistry = process.env.CI === "true" || Bun.spawnSync(["npm", "ping", "--fetch-retries=0"]).success;
export const withoutRegistry = !hasRegistry;
export const registryNote = hasRegistry ? "" : " (SKIPPED: the npm registry does not answer)";

export interface StartedExample extends AsyncDisposable {
	readonly service: StartedService;
	/** Where it answers, without a slash at the end. */
	readonly address: string;
	/** All that it and its build have printed. */
	said(): string;
}

interface Start {
	/** The program of a Node other than the one on the path. */
	readonly node?: string | undefined;
	/** What the service needs to know of the example before it starts. */
	readonly prepare?: (service: StartedService, address: string) => Promise<unknown>;
}

/** @throws Error with all that it said where it ends, or does not answer within four minutes */
export async function startExample(name: string, { node, prepare }: Start = {}): Promise<StartedExample> {
	const folder = await mkdtemp(join(tmpdir(), `svc-example-${name}-`));
	const [[port = 0]] = await Promise.all([freePorts(1), packSdk(folder), copyExample(name, folder)]);
	const service = await startService();
	const address = `http://localhost:${port}`;
	const path = [...(node ? [dirname(node)] : []), process.env.PATH].join(delimiter);
	// Where a company's own certificates stand between its machines and the registry, npm needs to know of them.
	const { NODE_EXTRA_CA_CERTS } = process.env;
	const env = {
		...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
		...{ PATH: path, HOME: process.env.HOME, PORT: String(port) },
		...{ SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl },
		// What has been fetched once need not be again.
		...{ npm_config_prefer_offline: "true" },
		...{ NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" },
	};
	const spawn = (command: readonly string[]) => {
		// A group of its own, so that what it has started ends with it.
		const options = { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe", detached: true } as const;
		const child = Bun.spawn([...command], options);
		let text = "";
		const listening = [child.stdout, child.stderr].map(async (stream) => {
			for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
		});
		return { child, said: () => text, ended: () => Promise.all([child.exited, ...listening]) };
	};

	await prepare?.(service, address);
	const running = spawn(["npm", "start"]);
	const stop = async () => {
		if (running.child.exitCode === null) process.kill(-running.child.pid, "SIGTERM");
		await running.ended();
		await service.stop();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		await answers(address, running.child, running.said);
	} catch (error) {
		await stop();
		throw error;
	}
	return { service, address, said: running.said, [Symbol.asyncDispose]: stop };
}

/** Without what its author's own tries have left in the checkout. */
export async function copyExample(name: string, to: string): Promise<void> {
	const left = /(^|\/)(node_modules|\.next|\.astro|dist|package-lock\.json|[^/]+\.tgz)$/;
	const source = join(EXAMPLES, name);
	await cp(source, to, { recursive: true, filter: (path) => !left.test(relative(source, path)) });
	const sheet = EXAMPLE_SHEETS[name];
	if (sheet !== undefined) await cp(join(EXAMPLES, "style.css"), join(to, sheet), { recursive: true });
}

async function answers(address: string, child: { readonly exitCode: number | null }, said: () => string) {
	for (let tries = 0; tries < 2_400; tries++) {
		if (child.exitCode !== null) throw new Error(`it ended: ${said()}`);
		// Whatever listens there answers something.
		if (await fetch(address).catch(() => undefined)) return;
		await Bun.sleep(100);
	}
	throw new Error(`it does not answer: ${said()}`);
}

/** The service's first App is set up as its team does it with `svc`. */
export async function manage(service: StartedService, method: string, path: string, body: object) {
	const headers = { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" };
	const answer = await service.api(path, { method, headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as { readonly id: string };
}
