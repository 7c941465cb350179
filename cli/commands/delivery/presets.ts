import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { PRESET } from "@svc/nouns/delivery";
import { type Calls, type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { removeEach } from "../../kit/work/removal.ts";
import { readParameters } from "./parameters.ts";

const SEE = "See which there are: svc presets list";

const PRESET_ADVICE: Advice = {
	not_found: SEE,
	validation_error: "The parameters are those of an address: w=300 h=300 fit=cover",
};

const list = lists({
	summary: "List the presets of an App",
	examples: ["svc presets list", "svc presets list --app app_1 --field name"],
	columns: PRESET.list,
	from: "app",
	pages: () => (app) => app.presets.list,
});

const create = shows({
	summary: "Give parameters of the transform host a name",
	notes: "From then on ?preset=<name> behind an image's address asks for them, under every delivery policy.",
	examples: ["svc presets create thumb w=300 h=300 fit=cover", "svc presets create card size=social format=webp"],
	args: { name: takes.word("1 to 32 of a to z, 0 to 9, _ and -") },
	rest: { name: "parameter=value", description: "As in an address", required: true },
	columns: PRESET.list,
	advice: PRESET_ADVICE,
	from: "app",
	send: ({ args: { name }, rest }) => {
		const parameters = readParameters(rest);
		return (app, options) => app.presets.create(name, parameters, options);
	},
});

const edit = shows({
	summary: "Rename a preset, or give it other parameters",
	notes: "Parameters that are named replace all of those that it has.",
	examples: ["svc presets edit pre_1 w=400 h=400 fit=cover", "svc presets edit pre_1 --name small"],
	args: { preset: takes.word("Id or name", "id|name"), name: takes.text("Its new name", "name") },
	rest: { name: "parameter=value", description: "As in an address", required: false },
	columns: PRESET.list,
	advice: PRESET_ADVICE,
	from: "app",
	send: ({ args: { preset, name }, rest }, context) => {
		if (name === undefined && rest.length === 0) throw new UsageError("Name what is to change: parameters, or --name.");
		const changes = {
			...(name !== undefined && { name }),
			...(rest.length > 0 && { parameters: readParameters(rest) }),
		};
		return async (app, options) => app.presets.edit(await idOf(preset, app, context), changes, options);
	},
});

const rm = defineCommand({
	summary: "Remove presets; their addresses are not answered any more",
	notes: "By id or name. JSON is an array, also for one preset.",
	examples: ["svc presets delete pre_1", "svc presets delete pre_1 pre_2"],
	args: {},
	rest: { name: "id", description: "Ids or names", required: true, valueHint: "id|name" },
	async run({ rest }, context) {
		const { signal } = context.process;
		const { presets } = await context.app();
		const ids: string[] = [];
		for (const word of rest) ids.push(await idOf(word, { presets }, context));
		const remove = (id: string) => advising({ not_found: SEE }, () => presets.delete(id, { signal }));
		return removeEach({ ids, verb: "removed", remove }, context);
	},
});

export const PRESET_COMMANDS = { list, create, edit, delete: rm };

/** An id as it is, a name by what is listed under it; no name begins as an id does. @throws LocalError for a name that is not there */
async function idOf(word: string, { presets }: Pick<Calls<"app">, "presets">, { process }: Context): Promise<string> {
	if (word.startsWith("pre_")) return word;
	for await (const { id, name } of presets.all({ signal: process.signal })) if (name === word) return id;
	throw new LocalError(`There is no preset ${word}.`, SEE, EXIT.missing);
}
