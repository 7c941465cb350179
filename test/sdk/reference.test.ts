import { afterAll, beforeAll, expect, test } from "bun:test";
import { sdkCall } from "@svc/api/docs/reference/reference-sdk";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import { type OpenService, openService } from "../support/service.ts";

/* The lines of the API reference that make a call with the SDK: each makes the call beside which it stands. */

interface Operation {
	readonly operationId: string;
	readonly parameters?: readonly {
		readonly name: string;
		readonly schema?: { readonly examples?: readonly string[] };
	}[];
}

let services: readonly OpenService[];
beforeAll(async () => {
	services = [await openService({ SVC_VARIANT: "current" }), await openService({ SVC_VARIANT: "legacy" })];
});
afterAll(() => Promise.all(services.map((service) => service.close())));

/** What the SDK has no method for on its two clients. */
const WITHOUT_LINE = ["openImage", "receiveProcessorEvent", "uploadWithTicket"];

test("each line of the reference makes the call beside which it stands, and no operation lacks one", async () => {
	const operations = new Map((await Promise.all(services.map(operationsOf))).flatMap((all) => [...all]));
	const without: string[] = [];
	for (const [address, { operationId, parameters = [] }] of operations) {
		const line = sdkCall(operationId);
		if (!line) {
			without.push(operationId);
			continue;
		}
		const sent: string[] = [];
		const options = { baseUrl: "http://localhost", apiKey: null, fetch: recorder(sent) };
		const svc = line.isKeyed ? createClient(options) : createManagement(options);
		const examples = new Map(parameters.map(({ name, schema }) => [name, schema?.examples?.[0]]));
		const call = line.call.replace(/\{(\w+)\}/g, (_, name: string) => JSON.stringify(examples.get(name)));
		await new Function("svc", "file", `return ${call};`)(svc, new Blob(["a"]));
		const path = address.replace(/#.*/, "").replace(/\{(\w+)\}/g, (_, name: string) => String(examples.get(name)));
		expect([operationId, sent]).toEqual([operationId, [path]]);
	}
	expect(without.sort()).toEqual(WITHOUT_LINE);
});

function recorder(sent: string[]) {
	return async (url: string, { method }: RequestInit) => {
		sent.push(`${method} ${new URL(url).pathname}`);
		// An object to a call that reads one, and not the type of one to a call that reads a file.
		return new Response("{}", { headers: { "Content-Type": "application/x+json" } });
	};
}

async function operationsOf({ open, rooms }: OpenService): Promise<ReadonlyMap<string, Operation>> {
	const answer = await open(`${rooms.addresses.base}/openapi.json`);
	const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
	return new Map(
		Object.entries(paths).flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
		),
	);
}
