import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstApp } from "./apps.ts";
import { type Ended, ended, type Running, startProgram, writeProfile } from "./program.ts";
import { type StartedService, startService } from "./service.ts";

/* The program as a process, and a service that it is used on by several people. */

export interface TeamProgram {
	readonly service: StartedService;
	/** Where it runs. */
	readonly cwd: string;
	/** The App of the first start. */
	readonly appId: string;
	/** Runs it as the first operator. */
	svc(...argv: readonly string[]): Promise<Ended>;
	/** Runs it as whoever has this session or token. */
	svcAs(person: { readonly secret: string }, ...argv: readonly string[]): Promise<Ended>;
	/** Starts it as the first operator; the caller ends it. */
	start(...argv: readonly string[]): Running;
	stop(): Promise<void>;
}

export async function startTeamProgram(): Promise<TeamProgram> {
	const service = await startService();
	const { id: appId } = await firstApp(service.database);
	const cwd = await mkdtemp(join(tmpdir(), "svc-team-"));

	async function profileOf(token: string): Promise<string> {
		const file = join(cwd, `profile-${Bun.hash(token)}.json`);
		await writeProfile(file, { base_url: service.baseUrl, api_key: service.apiKey, token });
		return file;
	}

	const start = (file: string, argv: readonly string[]) => startProgram(argv, { cwd, env: { SVC_PROFILE_FILE: file } });

	const first = await profileOf(service.token);
	return {
		service,
		cwd,
		appId,
		svc: (...argv) => ended(start(first, argv)),
		svcAs: async ({ secret }, ...argv) => ended(start(await profileOf(secret), argv)),
		start: (...argv) => start(first, argv),
		async stop() {
			await service.stop();
			await rm(cwd, { recursive: true, force: true });
		},
	};
}
