import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Client } from "@svc/sdk/client";
import type { Management } from "@svc/sdk/management";
import type { ClientOptions, Fetch } from "@svc/sdk/wire/request";
import type { Credentials } from "../profile/profile.ts";
import type { Command, Context, Group } from "./command.ts";
import type { Globals } from "./line/globals.ts";
import { createOutput } from "./output/output.ts";
import type { Process } from "./process.ts";

/** How one service is called, and with whose secret. */
interface Caller {
	readonly baseUrl: string;
	/** Key, session or token; null: none. */
	readonly secret: string | null;
	/** Used with a person's secret: the App whose images are meant. */
	readonly app?: string | undefined;
}

interface Connections {
	readonly context: Pick<Context, "process" | "globals">;
	credentials(): Promise<Credentials>;
	/** The person's only App. */
	onlyApp(): Promise<string | undefined>;
}

/** The client of a command that does not use the current profile. */
export async function clientAs(context: Pick<Context, "process" | "globals">, caller: Caller): Promise<Client> {
	const { createClient } = await import("@svc/sdk/client");
	return createClient(connection(context, caller));
}

function connection({ process, globals }: Pick<Context, "process" | "globals">, caller: Caller): ClientOptions {
	const { user, leftMs, dryRun } = globals;
	// Without --timeout a large upload gets more time than other calls: with it, it has what is left.
	const timeoutMs = leftMs?.();
	return {
		baseUrl: caller.baseUrl,
		apiKey: caller.secret,
		app: caller.app,
		...(user !== undefined && { user }),
		timeoutMs,
		leftMs,
		fetch: dryRun ? planned(process, caller) : process.fetch,
	};
}

/** What makes plans is loaded for the first call of a dry run alone. */
function planned({ fetch }: Process, { baseUrl }: Caller): Fetch {
	return async (url, init) => await (await import("./planning.ts")).planningFetch(fetch, baseUrl)(url, init);
}

/** The management API of a command that does not use the current profile. */
export async function managementAs(context: Pick<Context, "process" | "globals">, caller: Caller): Promise<Management> {
	const { createManagement } = await import("@svc/sdk/management");
	return createManagement(connection(context, caller));
}

/** Where a person can be asked, calls that need a fresh session ask for the code and go on. */
async function confirmingManagement(
	context: Pick<Context, "process" | "globals">,
	caller: Caller,
): Promise<Management> {
	const { process, globals } = context;
	const asks =
		process.canAsk && !globals.noInput && !globals.dryRun && caller.secret !== null && (await isSession(caller.secret));
	if (!asks) return await managementAs(context, caller);
	const { confirmingFetch } = await import("./step-up.ts");
	const { createManagement } = await import("@svc/sdk/management");
	const fetch = confirmingFetch(context, () => managementAs(context, caller));
	return createManagement({ ...connection(context, caller), fetch });
}

/** A key reaches its own App only: it must not be taken for one of another that was named. */
export async function appOfKey(client: Client, signal: AbortSignal): Promise<string> {
	return (await client.key.get({ signal, user: null })).app.id;
}

/**
 * The context of one command; nothing is read or connected before it is needed.
 * @param nothing makes what people read instead of an empty list; undefined for commands that list nothing
 */
export function createContext(
	process: Process,
	globals: Globals,
	commands: Group,
	nothing?: () => Promise<string>,
): Context {
	const context = { process, globals };
	const credentials = once<Credentials>(async () => {
		const { readCredentials } = await import("../profile/profile.ts");
		return await readCredentials(process, globals.profile);
	});
	const out = createOutput(process, { ...globals, nothing });
	const connections: Connections = {
		context,
		credentials,
		onlyApp: once(async () => {
			const { onlyApp } = await import("../profile/own-app.ts");
			return await onlyApp({ ...context, out }, await managementAs(context, await forPeople(connections)));
		}),
	};
	const management = once<Management>(async () => confirmingManagement(context, await forPeople(connections)));
	const made: Context = {
		process,
		globals,
		commands,
		out,
		credentials,
		client: once<Client>(() => forImages(connections)),
		personClient: once<Client>(async () => clientAs(context, await forPeople(connections))),
		async appClients() {
			const { createClient } = await import("@svc/sdk/client");
			const caller = await forPeople(connections);
			return (app) => createClient(connection(context, { ...caller, app }));
		},
		management,
		async looking() {
			return await managementAs({ process, globals: { ...globals, dryRun: false } }, await forPeople(connections));
		},
		async list<Item>(path: string) {
			const [{ pagesOf }, { createTransport }] = await Promise.all([
				import("@svc/sdk/wire/calls"),
				import("@svc/sdk/wire/transport"),
			]);
			return pagesOf<Item>(createTransport(connection(context, await forPeople(connections))), path).list;
		},
		async appId() {
			const { app, apiKey, source } = await credentials();
			const known = globals.app ?? app;
			if (known !== undefined) return known;
			if (apiKey === undefined) return (await connections.onlyApp()) ?? noApp(source);
			return (await (await withKey(connections)).key.get({ signal: process.signal })).app.id;
		},
		app: once(async () => {
			const appId = await made.appId();
			return (await management()).apps.of(appId);
		}),
	};
	return made;
}

/** What people read instead of an empty list. What a command did to things is no list of them: where it did nothing, it says why. */
export function nothingOf(
	{ args }: Command,
	path: readonly string[],
	line: readonly string[],
): (() => Promise<string>) | undefined {
	if (!("limit" in args) && path.at(-1) !== "list") return undefined;
	return async () => (await import("./output/nothing.ts")).nothingText(path, line);
}

async function isSession(secret: string): Promise<boolean> {
	const profile = await import("../profile/profile.ts");
	return profile.isSession(secret);
}

/** Runs `make` once, when first asked. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

/**
 * For calls about an App's images: with the key, or as the person who is signed in, where there is no key or another App than the
 * key's is named.
 */
async function forImages(connections: Connections): Promise<Client> {
	const { context, credentials } = connections;
	const { baseUrl, apiKey, token, app, source } = await credentials();
	const named = context.globals.app;
	if (apiKey !== undefined || token === undefined) {
		const client = await withKey(connections);
		if (named === undefined) return client;
		const own = await appOfKey(client, context.process.signal);
		if (own === named) return client;
		if (token === undefined) throw isOfAnother(own, named);
	}
	const meant = named ?? app ?? (await connections.onlyApp()) ?? noApp(source);
	return await clientAs(context, { baseUrl, secret: token, app: meant });
}

/** Calls with the key. @throws LocalError */
async function withKey({ context, credentials }: Connections): Promise<Client> {
	const { baseUrl, apiKey, source } = await credentials();
	if (apiKey !== undefined) return await clientAs(context, { baseUrl, secret: apiKey });
	throw new LocalError(`${source} has no key.`, "Store one: svc login --key-stdin", EXIT.auth);
}

function isOfAnother(own: string, named: string): LocalError {
	return new LocalError(
		`The key is of the App ${own}, not of ${named}, and nobody is signed in.`,
		"Sign in: svc login; or choose another profile with --profile.",
		EXIT.auth,
	);
}

function noApp(source: string): never {
	throw new LocalError(
		`${source} has no key and names no App, and there is none yet, or more than one: it is not clear which is meant.`,
		"Make one: svc apps create <name>; name it with --app <id> (svc apps list); or keep it: svc config set app <id>",
		EXIT.usage,
	);
}

async function forPeople({ credentials }: Connections): Promise<Caller> {
	const { baseUrl, apiKey, token, source } = await credentials();
	const secret = token ?? apiKey;
	if (secret !== undefined) return { baseUrl, secret };
	throw new LocalError(`Nobody is signed in with ${source}.`, "Sign in: svc login", EXIT.auth);
}
