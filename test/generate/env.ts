#!/usr/bin/env bun
import { writeFile } from "node:fs/promises";
import { OPTIONS, VARIABLES } from "@svc/server/config/variable-table";

/* `npm run generate`: writes .env.example from the table of variables. */

export const ENV_EXAMPLE = new URL("../../.env.example", import.meta.url).pathname;

const HEAD = `# Settings of the service. Copy this file to .env, take the "#" away from a line, and change what stands there: \`npm start\` reads it.
# What stands here are the defaults. What is in the environment goes before it. Git ignores .env, which may hold secrets.
# A value with spaces or "#" is written in quotes; "$" is written "\\$".
`;

export function envExample(): string {
	const groups = VARIABLES.map(({ title, variables }) => {
		const rows = variables.map(({ name, standard, about }) => `# ${about}\n#${name}=${standard}\n`);
		return `\n# --- ${title} ---\n\n${rows.join("\n")}`;
	});
	const options = OPTIONS.map(({ name, standard, about }) => `#   ${name}=${standard}  ${about}\n`);
	return `${HEAD}${groups.join("")}\n# --- Options of SVC_TUNING ---\n\n${options.join("")}`;
}

if (import.meta.main) await writeFile(ENV_EXAMPLE, envExample());
