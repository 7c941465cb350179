import { UsageError } from "@svc/base/processes/exit";
import { APP } from "@svc/nouns/app";
import { type Command, defineCommand } from "../../kit/command.ts";
import { confirmAbout } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { shows } from "../../kit/output/shows.ts";
import { advising } from "../../kit/refusal.ts";
import { keepApp } from "../../profile/own-app.ts";
import { block, unblock } from "./block.ts";
import { changesApp } from "./change.ts";
import { APP_ADVICE } from "./columns.ts";
import { deleteApp } from "./delete.ts";
import { edit, setProfile, setSale } from "./edit.ts";
import { list } from "./list.ts";
import { setDelivery } from "./set-delivery.ts";
import { setFreeLimits } from "./set-free-limits.ts";

const get = defineCommand({
	summary: "Show one App",
	examples: ["svc apps get app_1", "svc apps get --field limits.images"],
	args: {},
	rest: {
		name: "id",
		description: "App id; default: the App of --app, of the profile or of the key",
		required: false,
		valueHint: "id",
	},
	async run({ rest: [word, extra] }, context) {
		if (extra !== undefined) throw new UsageError(`svc apps get does not know what to do with "${extra}".`);
		const id = word ?? (await context.appId());
		const { apps } = await context.management();
		const app = await advising(APP_ADVICE, () => apps.get(id, { signal: context.process.signal }));
		await context.out.record(APP.detail, app);
	},
});

const create = shows({
	summary: "Make an App; you become its Owner",
	notes: "A profile that names no App and holds no key means this one from then on.",
	examples: ["svc apps create Pictures", "svc apps create 'My pictures' --field id"],
	args: { name: takes.word("What the App is called") },
	columns: APP.detail,
	from: "management",
	send:
		({ args }, context) =>
		async ({ apps }, options) => {
			const app = await apps.create(args.name, options);
			await keepApp(context, app);
			return app;
		},
});

const rename = changesApp({
	summary: "Give an App another name",
	examples: ["svc apps rename app_1 'My pictures'", "svc apps rename app_1 Pictures --field name"],
	args: { name: takes.word("Its new name") },
	changes: ({ name }) => ({ name }),
});

const pause = pausing(
	"pause",
	"Suspend an App's App-wide keys and its hosted sign-in",
	"Doing it again changes nothing. End it with: svc apps resume <id>",
);
const resume = pausing("resume", "End a pause", "A block by an operator stays.");

const signInOn = switching(
	"on",
	"Let people connect to an App by hosted sign-in",
	"Where they come back to: svc redirect-uris create <uri>",
);
const signInOff = switching(
	"off",
	"Let nobody new connect to an App",
	"Who is connected stays connected, and is not listed until it is on again.",
);

const verifyImageHost = changesApp({
	summary: "Look for the DNS record of an App's image host now",
	notes: "It is looked for once a day anyhow. The host: svc apps edit <id> --image-host img.example.com",
	examples: ["svc apps verify-image-host app_1", "svc apps verify-image-host app_1 --field image_host"],
	changes: () => ({}),
	send: ({ apps }, id, _, options) => apps.verifyImageHost(id, options),
});

const transfer = changesApp({
	summary: "Make another member the Owner of an App; you become Admin",
	notes: "Asks first, unless --yes is given: only the new Owner can give it back.",
	examples: ["svc apps transfer app_1 ada@example.com --yes", "svc apps transfer app_1 acc_1 --yes"],
	args: { member: takes.word("Account id or e-mail address of a member", "id|email") },
	advice: { validation_error: "See who is in the team: svc members list --app <id>" },
	changes: ({ member }) => ({ member }),
	send: async ({ apps }, id, { member }, options, context) => {
		await confirmAbout(context, async () => {
			const { name } = await apps.get(id, options);
			return `Make ${member} the Owner of "${name}" (${id})?`;
		});
		return await apps.transfer(id, member, options);
	},
});

export const APP_COMMANDS = {
	list,
	get,
	create,
	edit,
	rename,
	pause,
	resume,
	"sign-in": {
		summary: "turn hosted sign-in on or off",
		commands: async () => ({ on: signInOn, off: signInOff }),
	},
	"set-delivery": setDelivery,
	"set-free-limits": setFreeLimits,
	"verify-image-host": verifyImageHost,
	"set-profile": setProfile,
	"set-sale": setSale,
	transfer,
	delete: deleteApp,
	export: {
		summary: "Write an App with all of its images into a file, to take it to another service",
		load: async () => (await import("./move.ts")).exportApp,
	},
	import: {
		summary: "Take in an App from a file that svc apps export wrote; for operators",
		load: async () => (await import("./move.ts")).importApp,
	},
	block,
	unblock,
};

function pausing(verb: "pause" | "resume", summary: string, notes: string): Command {
	return changesApp({
		summary,
		notes,
		examples: [`svc apps ${verb} app_1`, `svc apps ${verb} app_1 --field state`],
		changes: () => ({}),
		send: ({ apps }, id, _, options) => apps[verb](id, options),
	});
}

function switching(word: "on" | "off", summary: string, notes: string): Command {
	return changesApp({
		summary,
		notes,
		examples: [`svc apps sign-in ${word} app_1`, `svc apps sign-in ${word} app_1 --field sign_in_enabled`],
		changes: () => ({ signInEnabled: word === "on" }),
	});
}
