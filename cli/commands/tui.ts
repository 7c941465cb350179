import type { ScreenName } from "@svc/tui/state/model";
import { SCREENS } from "@svc/tui/state/model";
import { oneOf } from "../choice.ts";
import { EXIT, UsageError } from "../exit.ts";
import { type Branch, type Context, defineLeaf, isBranch } from "../leaf.ts";

const PRINTED_ROWS = 24;

function readSide(flag: string, asked: string | undefined, otherwise: number): number {
	const cells = asked === undefined ? otherwise : Number(asked);
	if (Number.isInteger(cells) && cells >= 10 && cells <= 500) return cells;
	throw new UsageError(`--${flag} takes a number from 10 to 500; not "${asked}".`);
}

/** Every command of the tree, for the palette. */
function linesOf({ commands }: Branch, path: string): { readonly line: string; readonly summary: string }[] {
	return Object.entries(commands).flatMap(([name, node]) => {
		const line = `${path} ${name}`;
		return isBranch(node) ? linesOf(node, line) : [{ line, summary: node.summary }];
	});
}

interface Opening {
	readonly tree: Branch;
	readonly screen: ScreenName;
	readonly readOnly: boolean;
}

async function optionsFor({ world, globals, credentials, management }: Context, { tree, screen, readOnly }: Opening) {
	const { app, source } = await credentials();
	return {
		management: await management(),
		fetch: world.fetch,
		env: world.env,
		profile: /"(.+)"/.exec(source)?.[1] ?? source,
		app: globals.app ?? app,
		screen,
		readOnly,
		commands: linesOf(tree, "svc"),
		browse: (url: string) => void world.browse(url),
	};
}

async function print(
	context: Context,
	opening: Opening,
	asked: { columns?: string | undefined; rows?: string | undefined },
) {
	const { world, out } = context;
	const size = {
		columns: readSide("columns", asked.columns, world.out.columns),
		rows: readSide("rows", asked.rows, PRINTED_ROWS),
	};
	const { printFrame } = await import("@svc/tui/print");
	const { lines, error } = await printFrame(await optionsFor(context, opening), size, world.signal);
	if (out.isJson) await out.document({ object: "frame", screen: opening.screen, lines, error });
	else await out.text(lines.join("\n"));
	return error === null ? EXIT.ok : EXIT.failed;
}

/** `tree` is what the palette finds commands in; given, because the tree names this command too. */
export const tuiOver = (tree: Branch) =>
	defineLeaf({
		summary: "Open the dashboard in this terminal",
		notes: `Screens: ${SCREENS.join(", ")}. Press ? in it for its keys. --print needs no terminal and changes nothing.`,
		examples: ["svc tui --screen moderation --print", "svc tui --screen keys --app app_1 --print --columns 120"],
		args: {
			screen: { type: "string", valueHint: "name", description: "Begin with this screen (default: moderation)" },
			"read-only": { type: "boolean", description: "Take away every key that changes something" },
			print: { type: "boolean", description: "Print one screen as text, once it has loaded" },
			columns: { type: "string", valueHint: "cells", description: "Width of what is printed" },
			rows: { type: "string", valueHint: "cells", description: "Height of what is printed" },
		},
		async run({ args }, context) {
			const { world, globals } = context;
			const screen = oneOf("--screen", args.screen ?? "moderation", SCREENS);
			if (args.print === true) return await print(context, { tree, screen, readOnly: true }, args);
			if (!world.canAsk || !world.out.isTerminal || globals.noInput) {
				throw new UsageError("The dashboard needs a terminal.", `svc tui --screen ${screen} --print`);
			}
			const readOnly = args["read-only"] === true || globals.dryRun;
			const options = await optionsFor(context, { tree, screen, readOnly });
			const { openDashboard } = await import("@svc/tui/main");
			return await openDashboard(options);
		},
	});
