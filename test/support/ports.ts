/** Ports that were free a moment ago. */
export function freePorts(count: number): number[] {
	const servers = Array.from({ length: count }, () =>
		Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() }),
	);
	const ports = servers.map((server) => server.port ?? 0);
	for (const server of servers) void server.stop(true);
	return ports;
}
