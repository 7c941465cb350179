import type { Preset } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { type ChosenApp, chosenApp } from "../../kit/context.ts";
import { EXIT, LocalError, UsageError } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { removeEach } from "../../kit/work/removal.ts";
import { readParameters } from "./parameters.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const PRESET_COLUMNS: readonly Column<Preset>[] = [
	...fields("id", "name"),
	{ name: "parameters", value: ({ parameters }) => new URLSearchParams(parameters).toString(), shrinks: true },
	...fields("created_at"),
];

const SEE = "See which there are: svc presets list";

const PRESET_ADVICE: Advice = {
	not_found: SEE,
	validation_error: "The parameters are those of an address: w=300 h=300 fit=cover",
};

const list = defineCommand({
	summary: "List the presets of an App",
	notes: pipeNote(PRESET_COLUMNS),
	examples: ["svc presets list", "svc presets list --app app_1 --field name"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await chosenApp(context);
		return printList(context, PRESET_COLUMNS, args, app.presets.list);
	},
});

const create = defineCommand({
	summary: "Give parameters of the transform host a name",
	notes: "From then on ?preset=<name> behind an image's address asks for them, under every delivery policy.",
	examples: ["svc presets create thumb w=300 h=300 fit=cover", "svc presets create card size=social format=webp"],
	args: { name: { type: "positional", required: true, description: "1 to 32 of a to z, 0 to 9, _ and -" } },
	rest: { name: "parameter=value", description: "As in an address", required: true },
	async run({ args: { name }, rest }, context) {
		const parameters = readParameters(rest);
		const { app } = await chosenApp(context);
		const { out, process } = context;
		const { signal } = process;
		const preset = await advising(PRESET_ADVICE, () => app.presets.create(name, parameters, { signal }));
		await out.record(PRESET_COLUMNS, preset);
		return EXIT.ok;
	},
});

const edit = defineCommand({
	summary: "Rename a preset, or give it other parameters",
	notes: "Parameters that are named replace all of those that it has.",
	examples: ["svc presets edit pre_1 w=400 h=400 fit=cover", "svc presets edit pre_1 --name small"],
	args: {
		preset: { type: "positional", required: true, valueHint: "id|name", description: "Id or name" },
		name: { type: "string", valueHint: "name", description: "Its new name" },
	},
	rest: { name: "parameter=value", description: "As in an address", required: false },
	async run({ args: { preset: word, name }, rest }, context) {
		if (name === undefined && rest.length === 0) throw new UsageError("Name what is to change: parameters, or --name.");
		const { out, process } = context;
		const changes = {
			...(name !== undefined && { name }),
			...(rest.length > 0 && { parameters: readParameters(rest) }),
		};
		const team = await chosenApp(context);
		const id = await idOf(word, team, context);
		const { presets } = team.app;
		const preset = await advising(PRESET_ADVICE, () => presets.edit(id, changes, { signal: process.signal }));
		await out.record(PRESET_COLUMNS, preset);
		return EXIT.ok;
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
		const team = await chosenApp(context);
		const ids: string[] = [];
		for (const word of rest) ids.push(await idOf(word, team, context));
		const remove = (id: string) => advising({ not_found: SEE }, () => team.app.presets.delete(id, { signal }));
		return removeEach({ ids, verb: "removed", remove }, context);
	},
});

export const PRESET_COMMANDS = { list, create, edit, delete: rm };

/** An id as it is, a name by what is listed under it; no name begins as an id does. @throws LocalError for a name that is not there */
async function idOf(word: string, { app }: ChosenApp, { process }: Context): Promise<string> {
	if (word.startsWith("pre_")) return word;
	for await (const { id, name } of app.presets.all({ signal: process.signal })) if (name === word) return id;
	throw new LocalError(`There is no preset ${word}.`, SEE, EXIT.missing);
}
