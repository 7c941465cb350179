import { EXIT } from "../exit.ts";
import { defineLeaf } from "../leaf.ts";
import manifest from "../package.json" with { type: "json" };

export const version = defineLeaf({
	summary: "Print the version",
	examples: ["svc version", "svc version --json"],
	args: {},
	async run(_given, { out, world }) {
		const columns = [
			{ name: "version", value: () => manifest.version },
			{ name: "runtime", value: () => world.runtime },
		];
		await out.record(columns, { version: manifest.version, runtime: world.runtime });
		return EXIT.ok;
	},
});
