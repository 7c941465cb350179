import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import type { ServiceHealth } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { reasonOf } from "../../kit/report.ts";
import { addressOf, BASE_URL_ARG, probe, readReadiness, serviceAddress } from "./probe.ts";

interface Status {
	readonly object: "server_status";
	readonly base_url: string;
	/** Whether the process answers at all. */
	readonly alive: boolean;
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, string>>;
	/** Why there was no answer. */
	readonly failure: string | null;
	/** The operators' view; null for others. */
	readonly health: ServiceHealth | null;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Status>[] = [
	...fields("base_url", "alive", "ready"),
	{ name: "checks", value: (status) => pairs(status.checks) },
	...fields("failure"),
	{ name: "version", value: ({ health }) => health?.version },
	{ name: "interface_version", value: ({ health }) => health?.interface_version },
	{ name: "started_at", value: ({ health }) => health?.started_at },
	{ name: "database", value: ({ health }) => health?.database },
	{ name: "queues", value: ({ health }) => pairs(health?.queues) },
	{ name: "counts", value: ({ health }) => pairs(health?.counts) },
	{ name: "blobs", value: ({ health }) => pairs(health?.blobs) },
	{ name: "mail", value: ({ health }) => mailFields(health?.mail) },
	{ name: "billing", value: ({ health }) => pairs(health?.billing) },
	{ name: "processes", value: ({ health }) => health?.processes?.map(processFields).join(" ") },
];

export const status = defineCommand({
	summary: "Show whether the service is ready, and to operators how it is",
	notes: "Exit 7 when it is not ready. With --base-url nothing is sent but two questions without a key.",
	examples: ["svc server status", "svc server status --base-url https://images.example.com --field ready"],
	args: BASE_URL_ARG,
	async run({ args }, context): Promise<ExitCode> {
		const { out, globals, process } = context;
		const { baseUrl, hasKey } = await serviceAddress(context, args["base-url"]);
		const known = await readPublic(context, baseUrl);
		const status = { ...known, health: known.alive && hasKey ? await readHealth(context) : null };
		const isForPeople = globals.format === "table" || (globals.format === undefined && process.out.isTerminal);
		const isThere = ({ value }: Column<Status>) => (value(status) ?? "") !== "";
		await out.record(isForPeople ? COLUMNS.filter(isThere) : COLUMNS, status);
		return status.ready ? EXIT.ok : EXIT.later;
	},
});

/** An older service tells nothing of its processes. */
function processFields({ host, version, leads, clock_ahead_ms }: ServiceHealth["processes"][number]): string {
	const clock = clock_ahead_ms === null ? "" : `,clock=${clock_ahead_ms}ms`;
	return `${host}=${version}${leads ? ",leads" : ""}${clock}`;
}

/** An older service tells nothing of its mail. */
function mailFields(mail: ServiceHealth["mail"] | undefined): string | undefined {
	if (mail === undefined) return undefined;
	const { waiting, last_failure, ...rest } = mail;
	// What a mail server said is free text, and stands last.
	return pairs({ ...rest, ...waiting, last_failure });
}

function pairs(map: object | undefined): string | undefined {
	return (
		map &&
		Object.entries(map)
			.map(([name, value]) => `${name}=${String(value)}`)
			.join(",")
	);
}

async function readPublic({ process, globals }: Context, base_url: string): Promise<Omit<Status, "health">> {
	const object = "server_status";
	try {
		const [alive, readyz] = await Promise.all(
			["/healthz", "/readyz"].map((path) => probe(process, addressOf(base_url, path), globals.leftMs?.())),
		);
		const readiness = readyz && readReadiness(readyz);
		const failure = readiness
			? null
			: `/readyz answered ${readyz?.status} with something that is not the service's own.`;
		const { ready = false, checks = {} } = readiness ?? {};
		return { object, base_url, alive: alive?.status === 200, ready, checks, failure };
	} catch (error) {
		process.signal.throwIfAborted();
		return { object, base_url, alive: false, ready: false, checks: {}, failure: reasonOf(error) };
	}
}

/** Null for a caller who is no operator, and for a service that does not answer. */
async function readHealth(context: Context): Promise<ServiceHealth | null> {
	try {
		const { operator } = await context.management();
		return await operator.health({ retries: 0, signal: context.process.signal });
	} catch (error) {
		if (error instanceof ApiError || error instanceof ConnectionError) return null;
		throw error;
	}
}
