import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { ToolDocument } from "@svc/mcp/api-document";
import { REACH_OF_SESSION, type Reach, reachOfKey, reachOfScopes, readingOnly } from "@svc/mcp/reach";
import { say } from "../../handover/handover.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { clientAs, managementAs } from "../../kit/context.ts";
import * as takes from "../../kit/line/takes.ts";
import type { Column } from "../../kit/output/table.ts";
import manifest from "../../package.json" with { type: "json" };
import { isSession } from "../../profile/profile.ts";
import { ownToken } from "../account/identity.ts";
import { SUMMARIES } from "../summaries.ts";

interface Plan {
	readonly object: "mcp_tools";
	readonly tools: readonly string[];
}

const COLUMNS: readonly Column<Plan>[] = [{ name: "tools", value: ({ tools }) => tools.join(",") }];

export const mcp = defineCommand({
	summary: SUMMARIES.mcp,
	notes:
		"A server of the Model Context Protocol: an agent starts it, and it ends when its input does. It has the key, the session or\n" +
		"the token that other commands have; a token with few scopes is best, since it shows the tools that its scopes allow.\n" +
		"--dry-run says which tools these are.",
	examples: ["svc mcp", "svc mcp --read-only --app app_1"],
	args: {
		"read-only": takes.flag("Show no tool that changes something"),
	},
	async run({ args }, context) {
		const { process, globals, out } = context;
		const { rest, reach } = await callerOf(context);
		const [{ serveOverStdio }, { toolsOf }] = await Promise.all([import("@svc/mcp/stdio"), import("@svc/mcp/tools")]);
		const { baseUrl } = await context.credentials();
		const tools = toolsOf(await readDocument(baseUrl, process));
		const shown = args["read-only"] === true ? readingOnly(reach) : reach;
		if (globals.dryRun) {
			const names = [...tools].filter(([, { needs }]) => shown.has(needs)).map(([name]) => name);
			await out.record(COLUMNS, { object: "mcp_tools", tools: names.sort() });
			return EXIT.ok;
		}
		if (process.canAsk) await say(context, "This waits for an agent to speak with it: docs/agents.md. Ctrl-C ends it.");
		const served = { baseUrl, version: manifest.version, tools, reach: shown, rest };
		await serveOverStdio(served, process.streams(), process.signal);
		if (out.isJson) await out.document({ object: "mcp_end" });
		return EXIT.ok;
	},
});

/** With the key where there is one, as every command about images; else as the person, about the App that their token is bound to or that is named. */
async function callerOf(context: Context) {
	const { globals, process, credentials } = context;
	const { apiKey, token, baseUrl, app } = await credentials();
	if (token === undefined || (apiKey !== undefined && globals.app === undefined)) {
		const rest = await context.client();
		return { rest, reach: reachOfKey(await rest.key.get({ signal: process.signal, user: null })) };
	}
	if (isSession(token)) return { rest: await context.client(), reach: REACH_OF_SESSION };
	const management = await managementAs(context, { baseUrl, secret: token });
	const own = await ownToken(management, process.signal);
	const reach: Reach = reachOfScopes(own?.scopes ?? []);
	const named = globals.app ?? app ?? own?.app_id ?? undefined;
	if (named === undefined) return { rest: await context.client(), reach };
	return { rest: await clientAs(context, { baseUrl, secret: token, app: named }), reach };
}

/** @throws LocalError */
async function readDocument(baseUrl: string, process: Context["process"]): Promise<ToolDocument> {
	const address = `${baseUrl.replace(/\/+$/, "")}/openapi.json`;
	const answer = await process.fetch(address, { signal: process.signal, redirect: "manual" });
	if (answer.ok) return (await answer.json()) as ToolDocument;
	throw new LocalError(`${address} answered ${answer.status}.`, "Look whether SVC_BASE_URL is the address of the API.");
}
