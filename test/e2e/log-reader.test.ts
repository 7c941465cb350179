import { expect, test } from "bun:test";
import { removeData, startProcess } from "../support/process.ts";

test("a service whose log nobody reads any more answers on, and ends in order", async () => {
	const server = await startProcess(
		{ SVC_LOG: "info" },
		{ under: ["bash", "-c", 'exec "$0" "$@" 2> >(head -c 1 > /dev/null)'] },
	);
	await server.ready();
	// Each of these is a line of the log.
	for (let call = 0; call < 20; call++) expect((await fetch(`${server.baseUrl}/v1/images`)).status).toBe(401);
	expect(await server.stop()).toBe(0);
	await removeData(server.dataDir);
}, 60_000);
