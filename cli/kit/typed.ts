import { commandsAsTyped } from "@svc/base/text";
import type { Group } from "./command.ts";
import type { Process } from "./process.ts";

/** The same process, whose messages write commands as they are typed on this machine; `svc …` stays where that is what is typed. */
export async function typedHere(process: Process, commands: Group): Promise<Process> {
	if (process.command === "svc") return process;
	const typed = await typist(process, commands);
	return { ...process, err: { ...process.err, write: (text) => process.err.write(typed(text)) } };
}

/** Writes the commands in a text as they are typed on this machine. */
export async function typist({ command }: Process, commands: Group): Promise<(text: string) => string> {
	const names = Object.keys(await commands.commands());
	return (text) => commandsAsTyped(text, command, names);
}
