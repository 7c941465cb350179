import { defineCommand } from "../../kit/command.ts";
import manifest from "../../package.json" with { type: "json" };
import { SUMMARIES } from "../summaries.ts";

export const version = defineCommand({
	summary: SUMMARIES.version,
	examples: ["svc version", "svc version --json"],
	args: {},
	async run(_given, { out, process }) {
		const columns = [
			{ name: "version", value: () => manifest.version },
			{ name: "runtime", value: () => process.runtime },
		];
		await out.record(columns, { version: manifest.version, runtime: process.runtime });
	},
});
