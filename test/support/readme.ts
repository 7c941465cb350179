import { readFile } from "node:fs/promises";

/** A command as a page has it, without the remark behind it. `svc` is that of the checkout: `./svc`. */
export interface PageCommand {
	readonly line: string;
	/** The file, and where in it the command stands, from 1. */
	readonly place: string;
}

/** Every command in the pages' blocks for shells, in order. Pages are named from the root of the repository. */
export async function commandsOf(pages: readonly string[]): Promise<readonly PageCommand[]> {
	const read = pages.map(async (page) =>
		commandsIn(page, await readFile(new URL(`../../${page}`, import.meta.url), "utf8")),
	);
	return (await Promise.all(read)).flat();
}

function commandsIn(page: string, text: string): PageCommand[] {
	const commands: PageCommand[] = [];
	let isShell = false;
	let begun = "";
	for (const [index, line] of text.split("\n").entries()) {
		if (line.startsWith("```")) isShell = line === "```sh";
		else if (isShell) {
			const command = `${begun}${withoutRemark(line)}`;
			begun = command.endsWith("\\") ? command.slice(0, -1) : "";
			if (begun === "" && command !== "") commands.push({ line: ofCheckout(command), place: `${page}:${index + 1}` });
		}
	}
	return commands;
}

function withoutRemark(line: string): string {
	return line.replace(/(^|\s+)#\s.*$/, "").trim();
}

function ofCheckout(command: string): string {
	return command.replaceAll(/(^|[\s(])svc (?=[a-z])/g, "$1./svc ");
}
