import type { CallOptions } from "@svc/sdk/wire/request";
import type { ArgsDef } from "citty";
import {
	type Calling,
	type Calls,
	type Command,
	type Context,
	defineCommand,
	type Given,
	type Room,
} from "../command.ts";
import { advising } from "../refusal.ts";
import type { Column } from "./table.ts";

type Send<R extends Room, Row> = (calls: Calls<R>, options: CallOptions) => Promise<Row>;

interface Showing<T extends ArgsDef, R extends Room, Row> extends Calling<T, R> {
	readonly columns: readonly Column<NoInfer<Row>>[];
	/** Reads the line, and says then what makes the one call. */
	send(given: Given<T>, context: Context): Send<R, Row> | Promise<Send<R, Row>>;
	/** Comes after the answer was printed. */
	after?(row: Row, given: Given<T>, context: Context): Promise<void>;
}

/** A command that makes one call, and shows the one thing that it was answered with. */
export function shows<const T extends ArgsDef, const R extends Room, Row>(showing: Showing<T, R, Row>): Command {
	const { from, columns, advice = {}, send, after, args, ...described } = showing;
	return defineCommand({
		...described,
		args: (args ?? {}) as ArgsDef,
		async run(line, context) {
			const given = line as unknown as Given<T>;
			const { signal } = context.process;
			const sent = await send(given, context);
			const calls = (await context[from]()) as Calls<R>;
			const row = await advising(advice, () => sent(calls, { signal }));
			await context.out.record(columns, row);
			await after?.(row, given, context);
		},
	});
}
