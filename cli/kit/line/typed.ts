import type { Group } from "../command.ts";
import type { Process } from "../process.ts";

/** The same process, whose messages write commands as they are typed on this machine; `svc …` stays where that is what is typed. */
export function typedHere(process: Process, commands: Group): Process {
	if (process.command === "svc") return process;
	const write = async (text: string) => process.err.write((await typist(process, commands))(text));
	return { ...process, err: { ...process.err, write } };
}

/** Writes the commands in a text as they are typed on this machine. */
export async function typist({ command }: Process, commands: Group): Promise<(text: string) => string> {
	const { commandsAsTyped } = await import("@svc/base/text");
	const names = Object.keys(await commands.commands());
	return (text) => commandsAsTyped(text, command, names);
}
