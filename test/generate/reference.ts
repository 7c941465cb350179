/* Writes the pages of the reference that are made of the code: npm run generate */
import { writeFile } from "node:fs/promises";
import { DATABASE_FAILURES, statusOf } from "@svc/api/kit/refusals/failure";
import { FIXES } from "@svc/api/kit/refusals/fixes";
import { EVENT_TYPES } from "@svc/base/enumerations";
import { FAILURE_CODES, Failure, type FailureCode } from "@svc/base/failure";
import { COMMANDS } from "@svc/cli/commands/commands";
import { type Command, everyEntry, isGroup } from "@svc/cli/kit/command";
import { OLD_SETTINGS } from "@svc/server/config/old-names";
import { OPTIONS, VARIABLES } from "@svc/server/config/variable-table";
import { cell } from "./cell.ts";
import { OCCASIONS, WHATS } from "./cures.ts";
import { limitsPage } from "./limits.ts";
import { sdkReference } from "./sdk-reference.ts";
import { type GeneratedFile, urlOf } from "./transform.ts";
import { webhooksPage } from "./webhooks.ts";

/** What operators do, and whoever runs the service; all else is for Apps. */
const OPERATING = ["logs", "moderation", "operator", "server"];

const MADE = "<!-- Made by `npm run generate`: change the code instead. -->\n";

if (import.meta.main) {
	for (const { path, text } of await referenceFiles()) await writeFile(urlOf(path), text);
}

export async function referenceFiles(): Promise<readonly GeneratedFile[]> {
	return [
		{ path: "docs/reference/errors.md", text: errors() },
		{ path: "docs/reference/events.md", text: events() },
		{ path: "docs/reference/configuration.md", text: configuration() },
		{ path: "docs/reference/cli.md", text: await commandLine() },
		{ path: "docs/reference/cli-operators.md", text: await operatorLine() },
		{ path: "docs/reference/limits.md", text: limitsPage() },
		{ path: "docs/reference/webhooks.md", text: await webhooksPage() },
		...sdkReference(),
	];
}

function errors(): string {
	const entries = FAILURE_CODES.map((code) => ({ code, failure: new Failure(code) }))
		.sort((a, b) => statusOf(a.failure) - statusOf(b.failure))
		.map(
			({ code, failure }) =>
				`## ${code}\n\nStatus ${statusOf(failure)}. ${failure.message}\n\n**Cure:** ${FIXES[code]}\n`,
		);
	const told = (code: FailureCode, timedOut: boolean) =>
		`${statusOf(new Failure(code, undefined, { timedOut }))} \`${code}\``;
	const outcomes = Object.entries(DATABASE_FAILURES).map(
		([what, { known, unknown }]) =>
			`| ${WHATS[what as keyof typeof DATABASE_FAILURES]} | ${told(known, true)} | ${told(unknown, true)} |`,
	);
	return `# Errors

${MADE}
Each error of the API is an object of the same form. Go by \`code\`; \`message\` is for people, and may change.

\`\`\`json
{ "error": { "type": "validation_error", "code": "validation_error", "message": "…", "details": { "ttl": ["…"] } } }
\`\`\`

- \`details\` names the fields that are wrong, as you sent them: 20 faults at the most, and under \`body\` how many more there are.
- \`action\` says what helps: \`wait\`, with \`retry_after\` in seconds (the header \`Retry-After\` says the same). Only an older interface also has \`upgrade\`, with an address.
- \`X-Request-Id\` is on every answer. It finds the request in the service's log.
- \`Link: <…>; rel="help"\` on a refusal leads to its code on this page.
- Where time ran out, the status is 504 instead of 502, and 503 instead of 500.

## When the database could not do it

Where it is known that nothing was changed the code says so, with \`Retry-After\`: send the same again. Where it is not known, \`message\` names the address that shows
what has happened. Items of a batch are answered in the same way, each for itself.

| A call that | nothing was changed | not known |
|---|---|---|
${outcomes.join("\n")}

In the SDK an error is an \`ApiError\` with the same \`code\`, \`details\`, \`requestId\` and \`help\`; where no answer came, a \`ConnectionError\`.

${entries.join("\n")}`;
}

function events(): string {
	const rows = EVENT_TYPES.map((type) => `| \`${type}\` | ${OCCASIONS[type]} |`);
	return `# Events

${MADE}
What happens to an App becomes an event, in the same commit as the change. Read them with \`GET /v1/events\`, or get them by
webhooks. An endpoint takes all of them, \`image.*\` and the like, or single types. New types come with new
versions: ignore what you do not know.

| Type | When |
|---|---|
${rows.join("\n")}
`;
}

function configuration(): string {
	const groups = VARIABLES.map(({ title, variables }) => settingsTable(title, "Variable", variables));
	const old = OLD_SETTINGS.map(([name, now]) => `| \`${name}\` | ${cell(now)} |`);
	return `# Configuration

${MADE}
The service reads its environment once, at the start. A value that it cannot take stops the start, with a message that names the variable.
In a checkout \`npm start\` also reads a file \`.env\`; what is in the environment goes before it. What stands behind some of them is in
[Settings explained](../operate/settings.md).

${groups.join("\n")}
${settingsTable("Options of SVC_TUNING", "Option", OPTIONS)}
## Old names

They go on working, and a start that finds one says so in its log. Where the old and the new name are both set and differ, the start fails.

| Old name | Now |
|---|---|
${old.join("\n")}
`;
}

function settingsTable(title: string, kind: string, variables: typeof OPTIONS): string {
	const rows = variables.map(({ name, standard, about }) => {
		const usual = standard === "" ? "" : `\`${standard}\``;
		return `| \`${name}\` | ${usual} | ${cell(about)} |`;
	});
	return `## ${title}\n\n| ${kind} | Default | What it is |\n|---|---|---|\n${rows.join("\n")}\n`;
}

async function commandLine(): Promise<string> {
	return `# Command line

${MADE}
\`svc <command> --help\` says all of a command, with examples. \`--json\` prints JSON, \`-q\` ids alone, \`--dry-run\` shows the requests
instead of sending them, and \`--app\`, \`--profile\` and \`--base-url\` say what is meant. \`svc api GET /v1/usage\` makes any call there is.
What operators do is on [a page of its own](cli-operators.md).

${await commandSections((group) => !OPERATING.includes(group))}`;
}

async function operatorLine(): Promise<string> {
	return `# Command line of operators

${MADE}
\`svc <command> --help\` says all of a command, with examples. The commands of \`svc server\` that need no running service read its environment.
Those for Apps are on [another page](cli.md).

${await commandSections((group) => OPERATING.includes(group))}`;
}

/** A table for each group that is wanted; the empty name is that of the commands without one. */
async function commandSections(isWanted: (group: string) => boolean): Promise<string> {
	const found = await everyEntry(COMMANDS);
	const groups = found.filter(({ path, entry }) => path.length <= 1 && isGroup(entry) && isWanted(path[0] ?? ""));
	const sections = groups.map(({ path: [group], entry }) => {
		const isOwn = (path: readonly string[]) =>
			group === undefined ? path.length === 1 : path.length > 1 && path[0] === group;
		const own = found.filter(({ path, entry: one }) => !isGroup(one) && isOwn(path));
		const rows = own.map((one) => commandRow(one.path, one.entry as Command));
		const title = group === undefined ? "svc" : `svc ${group}`;
		return `## ${title}: ${entry.summary}\n| Command | What it does | Options |\n|---|---|---|\n${rows.join("\n")}\n`;
	});
	return sections.join("\n");
}

function commandRow(path: readonly string[], { summary, args, rest }: Command): string {
	const names = Object.keys(args);
	const words = names.filter((name) => args[name]?.type === "positional").map((name) => `<${name}>`);
	const more = rest ? [`<${rest.name}…>`] : [];
	const options = names.filter((name) => args[name]?.type !== "positional").map((name) => `\`--${name}\``);
	return `| \`svc ${[...path, ...words, ...more].join(" ").replaceAll("|", "/")}\` | ${cell(summary)} | ${options.join(" ")} |`;
}
