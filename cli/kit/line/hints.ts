import type { Process } from "../process.ts";
import type { Globals } from "./globals.ts";

/* What a message says to do next can be pasted: it is about the same App, profile and thing as the command that says it. */

/** A command in a message, as far as its arguments are arguments. */
const COMMAND =
	/\bsvc(?: (?!needs\b|has no\b|does not\b)[a-z][a-z-]*(?!\w))+(?: (?:<[a-z|]+>|[a-z]+_[0-9A-Za-z]+|--[a-z-]+))*/g;

/** What a shell takes as it is. */
const PLAIN = /^[\w.-]{1,100}$/;

/** Commands that are about no App, or name it otherwise. */
const WITHOUT_APP: ReadonlySet<string> = new Set(
	["account", "api", "apps", "completion", "config", "login", "logout", "moderation", "operator", "passkeys"].concat([
		"profile",
		"reports",
		"serve",
		"server",
		"sessions",
		"tokens",
		"version",
	]),
);

/** What the id of a command's thing begins with. */
const PREFIXES: Readonly<Record<string, string>> = {
	...{ apps: "app_", images: "img_", imports: "imp_", jobs: "job_", keys: "key_", moderation: "img_" },
	...{ plans: "pln_", tickets: "upt_", users: "usr_", webhooks: "whe_" },
};

/** The same process, whose messages write the commands in them for the line that was typed. */
export function pasteable(process: Process, line: readonly string[], globals: Globals): Process {
	const filled = (text: string) =>
		text.replace(COMMAND, (command, at: number) =>
			// What is wrong with the line is no advice.
			/^ (needs|has no|does not) /.test(text.slice(at + command.length)) ? command : completed(command, line, globals),
		);
	return { ...process, err: { ...process.err, write: (text) => process.err.write(filled(text)) } };
}

function completed(command: string, line: readonly string[], { app, profile }: Globals): string {
	const [, group = ""] = command.split(" ");
	if (command.includes("--help")) return command;
	const named = line.filter((word) => PLAIN.test(word) && word.startsWith(PREFIXES[group] ?? " "));
	const [id = "<id>", ...others] = group === "apps" && app !== undefined ? [app] : named;
	const filled = others.length === 0 ? command.replace(/(?<!--[a-z-]+ )<id>/, id) : command;
	const flags = [
		WITHOUT_APP.has(group) ? "" : flag(filled, "--app", app),
		// Which profiles there are does not depend on one.
		group === "profile" ? "" : flag(filled, "--profile", profile),
	];
	return filled + flags.join("");
}

function flag(command: string, name: string, value: string | undefined): string {
	return value === undefined || !PLAIN.test(value) || command.includes(name) ? "" : ` ${name} ${value}`;
}
