import type { Database, DatabaseOptions } from "../client.ts";
import { queriesOn, timed } from "../queries.ts";
import type { Claims } from "../request-claims.ts";
import { asRows, type Writer, write } from "../write/write.ts";
import { serverEngine } from "./engine.ts";
import type { ChangeBatch } from "./hrana.ts";
import { remoteReader } from "./remote.ts";
import { remoteChanges } from "./remote-changes.ts";
import { remoteWriter } from "./remote-writer.ts";
import { Progress } from "./server-streams.ts";

export function openRemote({
	url,
	token,
	onSlow,
	remoteTimeoutMs = 8_000,
	progress = new Progress(),
}: DatabaseOptions): Database {
	const server = { url, token, progress, timeoutMs: remoteTimeoutMs };
	const reader = remoteReader(server);
	const connection = remoteWriter(server);
	const slowly = <T>([change]: readonly ChangeBatch[], operation: () => Promise<T>) =>
		timed(change?.steps[1]?.stmt.sql ?? "", onSlow, operation);
	const make = remoteChanges({
		change: (change) => slowly([change], () => connection.change(change)),
		group: (changes, apart) => slowly(changes, () => connection.group(changes, apart)),
	});
	const writer: Writer = async ({ statements }) => (await make(statements)).map(asRows);
	const claims: Claims = new Map();
	return {
		kind: "remote",
		engine: serverEngine({ url, token, change: make, renew: connection.renew }),
		claims,
		changes: undefined,
		...queriesOn(reader, onSlow),
		write: (steps) => write({ writer, claims }, steps),
		stalledMs: connection.stalledMs,
		// The server maintains its own log, and its file.
		checkpoint: async () => undefined,
		compact: async () => undefined,
		async close() {
			await reader.close();
			await connection.close();
		},
	};
}
