import { EXIT, LocalError } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import type { RedirectUri } from "@svc/sdk/shapes";
import { type Calls, type Context, defineCommand } from "../../kit/command.ts";
import { lists } from "../../kit/output/lists.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { changeEach, removeEach } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const REDIRECT_URI_COLUMNS: readonly Column<RedirectUri>[] = [...fields("id", "uri", "created_at")];

const list = lists({
	summary: "List where hosted sign-in may send people back to",
	examples: ["svc redirect-uris list", "svc redirect-uris list --app app_1 --field uri"],
	columns: REDIRECT_URI_COLUMNS,
	from: "app",
	pages: () => (app) => app.redirectUris.list,
});

const add = defineCommand({
	summary: "Allow addresses to which hosted sign-in may send people back",
	notes: "https, or http on loopback; compared byte for byte. JSON is an array, also for one address.",
	examples: [
		"svc redirect-uris create https://app.example.com/callback",
		"svc redirect-uris create http://localhost:8080/callback --app app_1",
	],
	args: {},
	rest: { name: "uri", description: "Addresses", required: true },
	async run({ rest }, context) {
		const app = await context.app();
		const work = (uri: string) => addOnce(uri, app, context);
		return changeEach({ items: rest, work, columns: REDIRECT_URI_COLUMNS }, context);
	},
});

const SEE = "See which there are: svc redirect-uris list";

/** An address that is there already is no fault: it is as was asked for. */
async function addOnce(uri: string, { redirectUris }: Calls<"app">, { out, process }: Context): Promise<RedirectUri> {
	const { signal } = process;
	return await redirectUris.create(uri, { signal }).catch(async (error: unknown) => {
		if (!(error instanceof ApiError) || error.code !== "validation_error") throw error;
		for await (const one of redirectUris.all({ signal })) {
			if (one.uri !== uri) continue;
			await out.note(`${uri} is there already.`);
			return one;
		}
		throw error;
	});
}

const rm = defineCommand({
	summary: "Allow addresses no longer",
	notes: "By id, or by the address itself. JSON is an array, also for one address.",
	examples: ["svc redirect-uris delete red_1", "svc redirect-uris delete https://app.example.com/callback"],
	args: {},
	rest: { name: "id", description: "Ids, or the addresses themselves", required: true, valueHint: "id|uri" },
	async run({ rest }, context) {
		const { signal } = context.process;
		const app = await context.app();
		const ids = await idsOf(rest, app, context);
		const remove = (id: string) => advising({ not_found: SEE }, () => app.redirectUris.delete(id, { signal }));
		return removeEach({ ids, verb: "removed", remove }, context);
	},
});

export const REDIRECT_URI_COMMANDS = { list, create: add, delete: rm };

/** Ids as they are, addresses by what they are listed under. @throws LocalError for an address that is not listed */
async function idsOf(words: readonly string[], app: Calls<"app">, { process }: Context): Promise<readonly string[]> {
	if (!words.some((word) => word.includes("://"))) return words;
	const known: RedirectUri[] = [];
	for await (const one of app.redirectUris.all({ signal: process.signal })) known.push(one);
	return words.map((word) => {
		if (!word.includes("://")) return word;
		const found = known.find(({ uri }) => uri === word);
		if (found === undefined) throw new LocalError(`${word} is not allowed anyway.`, SEE, EXIT.missing);
		return found.id;
	});
}
