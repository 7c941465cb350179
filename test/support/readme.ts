import { readFile } from "node:fs/promises";

/** A command as the README has it, without the remark behind it. */
export interface ReadmeCommand {
	readonly line: string;
	/** Where it stands in the README, from 1. */
	readonly number: number;
}

const README = new URL("../../README.md", import.meta.url).pathname;

/** Every command in the README's blocks for shells, in order. */
export async function readmeCommands(): Promise<readonly ReadmeCommand[]> {
	const commands: ReadmeCommand[] = [];
	let isShell = false;
	let begun = "";
	for (const [index, line] of (await readFile(README, "utf8")).split("\n").entries()) {
		if (line.startsWith("```")) isShell = line === "```sh";
		else if (isShell) {
			const text = `${begun}${withoutRemark(line)}`;
			begun = text.endsWith("\\") ? text.slice(0, -1) : "";
			if (begun === "" && text !== "") commands.push({ line: text, number: index + 1 });
		}
	}
	return commands;
}

function withoutRemark(line: string): string {
	return line.replace(/(^|\s+)#\s.*$/, "").trim();
}
