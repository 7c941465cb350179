import { APP } from "@svc/nouns/app";
import type { AppChanges } from "@svc/sdk/management";
import type { App } from "@svc/sdk/shapes";
import type { CallOptions } from "@svc/sdk/wire/request";
import type { ArgsDef, ParsedArgs } from "citty";
import type { Calling, Calls, Command, Context } from "../../kit/command.ts";
import { shows } from "../../kit/output/shows.ts";
import { APP_ADVICE, APP_ID } from "./columns.ts";

interface Changing<T extends ArgsDef, Changes> extends Omit<Calling<T, "management">, "from"> {
	/** Reads the line. @throws UsageError */
	changes(args: ParsedArgs<T>): Changes;
	/** Default: the App is edited. */
	send?(calls: Calls<"management">, id: string, changes: Changes, options: CallOptions, context: Context): Promise<App>;
}

/** A command that makes one change to an App, which is always named, and shows what it is then. */
export function changesApp<const T extends ArgsDef, Changes extends object = AppChanges>(
	changing: Changing<T, Changes>,
): Command {
	const { args, advice, changes, send, ...described } = changing;
	return shows({
		...described,
		args: { ...APP_ID, ...args },
		columns: APP.detail,
		advice: { ...APP_ADVICE, ...advice },
		from: "management",
		send: (given, context) => {
			const { id } = given.args as ParsedArgs<typeof APP_ID>;
			const read = changes(given.args as unknown as ParsedArgs<T>);
			return (calls, options) => send?.(calls, id, read, options, context) ?? calls.apps.edit(id, read, options);
		},
	});
}
