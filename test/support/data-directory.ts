import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeData } from "./process.ts";
import { type OpenService, openService } from "./service.ts";

/** One data directory that is served again and again, with other settings: by a new release, or by another interface version. */
export interface DataDirectory extends AsyncDisposable {
	/** Ends what served it before. */
	serve(env: Readonly<Record<string, string>>): Promise<OpenService>;
}

export async function dataDirectory(): Promise<DataDirectory> {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
	let service: OpenService | undefined;
	return {
		async serve(env) {
			await service?.close();
			service = await openService({ ...env, SVC_DATA_DIR: dataDir });
			return service;
		},
		async [Symbol.asyncDispose]() {
			await service?.close();
			await removeData(dataDir);
		},
	};
}
