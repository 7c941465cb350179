import { OPTIONS, VARIABLES } from "./config/variable-table.ts";

const NAME_WIDTH = 34;

/** What `--help` prints. @param start how the service is started on this machine */
export function help(start: string): string {
	const groups = [...VARIABLES, { title: "Options of SVC_TUNING", variables: OPTIONS }];
	const rows = groups.flatMap(({ title, variables }) => [
		"",
		`${title}:`,
		...variables.map(
			({ name, standard, about }) => `  ${name.padEnd(NAME_WIDTH)}${about}${standard && ` (${standard})`}`,
		),
	]);
	return `Starts the service: the API, the pages and the images.

Usage: ${start}

It reads the environment, and a file .env beside it: .env.example lists all with their defaults, in brackets here. The first start
makes an operator, an App and a key, and prints them. Ctrl-C or SIGTERM ends it in order.
${rows.join("\n")}

Words instead of nothing, on a service that is stopped: adopt [--yes], forget-processor [--yes], rotate-secret [--yes] [--now]; see svc server --help.
`;
}
