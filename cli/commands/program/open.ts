import { LocalError } from "@svc/base/processes/exit";
import { defineCommand } from "../../kit/command.ts";
import { OPEN_ARGS, OPEN_NOTES, openPage } from "../../kit/open-page.ts";
import { advising } from "../../kit/refusal.ts";
import { APP_ADVICE } from "../apps/columns.ts";
import { openImage } from "../images/open.ts";
import { addressOf, serviceAddress } from "../server/probe.ts";
import { consoleTicket } from "./console-ticket.ts";

const docs = defineCommand({
	summary: "Open the service's documentation, of the version that runs",
	notes: OPEN_NOTES,
	examples: ["svc open docs", "svc open docs --print"],
	args: OPEN_ARGS,
	async run({ args }, context) {
		const { baseUrl } = await serviceAddress(context, undefined);
		return await openPage(context, addressOf(baseUrl, "/docs"), args.print);
	},
});

const account = defineCommand({
	summary: "Open your account: connected Apps, plans, passkeys, sessions",
	notes: `${OPEN_NOTES} The browser signs in for itself.`,
	examples: ["svc open account", "svc open account --print"],
	args: OPEN_ARGS,
	async run({ args }, context) {
		const { baseUrl } = await serviceAddress(context, undefined);
		return await openPage(context, addressOf(baseUrl, "/account"), args.print);
	},
});

const console = defineCommand({
	summary: "Open the console: an App's pictures in the browser",
	notes:
		`${OPEN_NOTES} On the service's own machine, and where you are signed in by a code, the\n` +
		"browser is signed in by the address: it works for 60 seconds and once. Otherwise the browser signs in for itself.",
	examples: ["svc open console", "svc open console --print"],
	args: OPEN_ARGS,
	async run({ args }, context) {
		const { baseUrl } = await serviceAddress(context, undefined);
		const url = (await consoleTicket(context, baseUrl)) ?? addressOf(baseUrl, "/console");
		return await openPage(context, url, args.print);
	},
});

const app = defineCommand({
	summary: "Open an App's own pages",
	notes: `${OPEN_NOTES} They are the homepage of its profile: svc apps set-profile`,
	examples: ["svc open app", "svc open app --print --app app_1"],
	args: OPEN_ARGS,
	async run({ args }, context) {
		const id = await context.appId();
		const { apps } = await context.management();
		const { name, profile } = await advising(APP_ADVICE, () => apps.get(id, { signal: context.process.signal }));
		const homepage = profile?.homepage_url ?? null;
		if (homepage !== null) return await openPage(context, homepage, args.print);
		throw new LocalError(`${name} has no homepage.`, `Give it one: svc apps set-profile ${id} --homepage <url>`);
	},
});

export const OPEN_COMMANDS = { app, console, docs, account, image: openImage("svc open image") };
