import { ApiError, ConnectionError } from "@svc/sdk/failure";
import type { ServiceHealth } from "@svc/sdk/operator-types";
import { EXIT, type ExitCode } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { reasonOf } from "../../reason.ts";
import type { Column } from "../../table.ts";
import { BASE_URL_ARG, serviceAddress } from "./address.ts";
import { addressOf, probe, readReadiness } from "./probe.ts";

interface Status {
	readonly object: "server_status";
	readonly base_url: string;
	/** Whether the process answers at all. */
	readonly alive: boolean;
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, string>>;
	/** Why there was no answer. */
	readonly failure: string | null;
	/** What operators see; null for others. */
	readonly health: ServiceHealth | null;
}

function pairs(map: Readonly<Record<string, unknown>> | undefined): string | undefined {
	return (
		map &&
		Object.entries(map)
			.map(([name, value]) => `${name}=${String(value)}`)
			.join(",")
	);
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Status>[] = [
	{ name: "base_url", value: (status) => status.base_url },
	{ name: "alive", value: (status) => status.alive },
	{ name: "ready", value: (status) => status.ready },
	{ name: "checks", value: (status) => pairs(status.checks) },
	{ name: "failure", value: (status) => status.failure },
	{ name: "version", value: ({ health }) => health?.version },
	{ name: "interface_version", value: ({ health }) => health?.interface_version },
	{ name: "started_at", value: ({ health }) => health?.started_at },
	{ name: "database", value: ({ health }) => health?.database },
	{ name: "queues", value: ({ health }) => pairs(health?.queues) },
	{ name: "counts", value: ({ health }) => pairs(health?.counts) },
];

async function readPublic({ world, globals }: Context, base_url: string): Promise<Omit<Status, "health">> {
	const object = "server_status";
	try {
		const [alive, readyz] = await Promise.all(
			["/healthz", "/readyz"].map((path) => probe(world, addressOf(base_url, path), globals.timeoutMs)),
		);
		const readiness = readyz && readReadiness(readyz);
		const failure = readiness
			? null
			: `/readyz answered ${readyz?.status} with something that is not the service's own.`;
		const { ready = false, checks = {} } = readiness ?? {};
		return { object, base_url, alive: alive?.status === 200, ready, checks, failure };
	} catch (error) {
		world.signal.throwIfAborted();
		return { object, base_url, alive: false, ready: false, checks: {}, failure: reasonOf(error) };
	}
}

/** Null for whoever is no operator, and for a service that does not answer. */
async function readHealth(context: Context): Promise<ServiceHealth | null> {
	try {
		const { operator } = await context.management();
		return await operator.health({ retries: 0, signal: context.world.signal });
	} catch (error) {
		if (error instanceof ApiError || error instanceof ConnectionError) return null;
		throw error;
	}
}

export const status = defineLeaf({
	summary: "Show whether the service is ready, and to operators how it is",
	notes: "Exit 7 when it is not ready. With --base-url nothing is sent but two questions without a key.",
	examples: ["svc server status", "svc server status --base-url https://images.example.com --field ready"],
	args: BASE_URL_ARG,
	async run({ args }, context): Promise<ExitCode> {
		const { out, globals, world } = context;
		const { baseUrl, hasKey } = await serviceAddress(context, args["base-url"]);
		const known = await readPublic(context, baseUrl);
		const status = { ...known, health: known.alive && hasKey ? await readHealth(context) : null };
		const isForPeople = globals.format === "table" || (globals.format === undefined && world.out.isTerminal);
		const isThere = ({ value }: Column<Status>) => (value(status) ?? "") !== "";
		await out.record(isForPeople ? COLUMNS.filter(isThere) : COLUMNS, status);
		return status.ready ? EXIT.ok : EXIT.later;
	},
});
