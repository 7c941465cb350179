import { Client, StreamableHTTPClientTransport, type VersionNegotiationOptions } from "@modelcontextprotocol/client";
import type { OpenService } from "./service.ts";

/* The protocol's official client, as agents have it. It compares each answer with the tool's own schema. */

/** Versions of the protocol: with a handshake, or without. */
export const ERAS: readonly VersionNegotiationOptions["mode"][] = ["legacy", "auto"];

type Fields = Readonly<Record<string, string>>;

export interface Agent {
	readonly client: Client;
	/** Names of the tools that are shown. */
	tools(): Promise<readonly string[]>;
	/** What a tool answers; it must succeed. */
	call<T = Record<string, never>>(name: string, given?: object): Promise<T>;
	/** What it refuses with. */
	refusal(name: string, given?: object): Promise<Refusal>;
}

interface Refusal {
	readonly code: string;
	readonly message: string;
	readonly field?: string;
	readonly fix: string;
}

export function newClient(mode: VersionNegotiationOptions["mode"] = "auto"): Client {
	return new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
}

/** Somebody who speaks with `/mcp` of a service, in this process. */
export async function overHttp(
	service: OpenService,
	secret: string,
	headers: Fields = {},
	client = newClient(),
): Promise<Agent> {
	const address = new URL("/mcp", service.rooms.addresses.base);
	const transport = new StreamableHTTPClientTransport(address, {
		requestInit: { headers: { Authorization: `Bearer ${secret}`, ...headers } },
		fetch: (url, init) => service.open(String(url), init),
	});
	await client.connect(transport);
	return agentOf(client);
}

export function agentOf(client: Client): Agent {
	const answer = async (name: string, given: object) =>
		await client.callTool({ name, arguments: given as Record<string, unknown> });
	return {
		client,
		tools: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
		async call<T>(name: string, given: object = {}) {
			const { isError, content, structuredContent } = await answer(name, given);
			if (isError || structuredContent === undefined) throw new Error(textOf(content));
			if (textOf(content) !== JSON.stringify(structuredContent)) throw new Error("the text is another answer");
			return structuredContent as T;
		},
		async refusal(name, given = {}) {
			const { isError, content, structuredContent } = await answer(name, given);
			if (!isError || structuredContent !== undefined) throw new Error("it was not refused");
			return (JSON.parse(textOf(content)) as { error: Refusal }).error;
		},
	};
}

function textOf(content: readonly unknown[]): string {
	const [only] = content as readonly { type: string; text: string }[];
	return only?.text ?? "";
}
