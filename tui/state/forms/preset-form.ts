import type { PresetParameters } from "@svc/sdk/calls/delivery";
import type { Preset } from "@svc/sdk/shapes";
import { changedIn, type Form } from "./form.ts";

/** What makes a preset of an App, or changes the one that there is. */
export function presetForm(app: string, preset?: Preset): Pick<Form, "title" | "fields" | "read"> {
	return {
		title: preset === undefined ? "New preset" : `Preset ${preset.name}`,
		fields: [
			{
				kind: "text",
				name: "name",
				label: "Name",
				hint: "As addresses say it: ?preset=thumb",
				value: preset?.name ?? "",
			},
			{
				kind: "text",
				name: "parameters",
				label: "Parameters",
				hint: "As in an address, with a space between two: w=300 h=300 fit=cover",
				value: textOf(preset?.parameters ?? {}),
			},
		],
		read(values, first) {
			const { name = "", parameters: text = "" } = values;
			if (name === "") return { errors: { name: "is needed, as thumb" } };
			const parameters = parametersIn(text);
			if (typeof parameters === "string") return { errors: { parameters } };
			if (preset === undefined) return { kind: "new-preset", verb: "create", app, name, parameters };
			return changedIn(values, first).size === 0
				? undefined
				: { kind: "preset", verb: "edit", app, id: preset.id, name, parameters };
		},
	};
}

function textOf(parameters: PresetParameters): string {
	return Object.entries(parameters)
		.map(([key, value]) => `${key}=${value}`)
		.join(" ");
}

/** The parameters, or what is wrong with the text. */
function parametersIn(text: string): PresetParameters | string {
	const parameters = new Map<string, string>();
	for (const word of text.split(/\s+/).filter((one) => one !== "")) {
		const [, key, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
		if (key === undefined || value === undefined) return `are name=value each; "${word}" is not`;
		if (parameters.has(key)) return `hold ${key} twice`;
		parameters.set(key, value);
	}
	return parameters.size === 0 ? "need at least one, as w=300" : Object.fromEntries(parameters);
}
