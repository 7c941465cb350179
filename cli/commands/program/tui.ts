import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, UsageError } from "@svc/base/processes/exit";
import { SCREENS, type ScreenName } from "@svc/tui/state/screens";
import { THEME_NAMES, type ThemeName } from "@svc/tui/state/theme";
import { type Context, defineCommand } from "../../kit/command.ts";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { saveProfile } from "../../profile/change.ts";
import { type FoundProfile, findProfile } from "../../profile/profile.ts";
import { downloadPicture } from "../images/drawing.ts";
import { SUMMARIES } from "../summaries.ts";
import { linesOf, readHere } from "./read-here.ts";

const PRINTED_ROWS = 24;

interface Opening {
	readonly screen: ScreenName;
	/** The person named it. */
	readonly namesScreen?: boolean;
	readonly readOnly: boolean;
	readonly theme?: ThemeName | undefined;
}

export const tui = defineCommand({
	summary: SUMMARIES.tui,
	notes: `Screens: ${SCREENS.join(", ")}. Press ? in it for its keys. --print needs no terminal and changes nothing.`,
	examples: ["svc tui --screen moderation --print", "svc tui --screen keys --app app_1 --print --columns 120"],
	args: {
		screen: takes.text("Begin with this screen (default: moderation)", "name"),
		theme: takes.choice(
			"Colours for a dark ground, a light one, or none; else SVC_THEME, NO_COLOR, the profile's, or the terminal's ground",
			THEME_NAMES,
		),
		"read-only": takes.flag("Take away every key that changes something"),
		print: takes.flag("Print one screen as text, once it has loaded"),
		columns: takes.text("Width of what is printed", "cells"),
		rows: takes.text("Height of what is printed", "cells"),
	},
	async run({ args }, context) {
		const { process, globals } = context;
		const screen = oneOf("--screen", args.screen ?? "moderation", SCREENS);
		if (args.print === true) return await print(context, { screen, readOnly: true }, args);
		if (!process.canAsk || !process.out.isTerminal || globals.noInput) {
			throw new UsageError("The dashboard needs a terminal.", `svc tui --screen ${screen} --print`);
		}
		const readOnly = args["read-only"] === true || globals.dryRun;
		const theme = themeOf(args.theme, process.env.SVC_THEME);
		const options = await optionsFor(context, {
			screen,
			namesScreen: args.screen !== undefined,
			readOnly,
			theme,
		});
		const { openDashboard } = await import("@svc/tui/main");
		return await openDashboard(options);
	},
});

async function print(
	context: Context,
	opening: Opening,
	asked: { screen?: string | undefined; columns?: string | undefined; rows?: string | undefined },
) {
	const { process, out } = context;
	const size = {
		columns: readSide("columns", asked.columns, process.out.columns),
		rows: readSide("rows", asked.rows, PRINTED_ROWS),
	};
	const { printFrame } = await import("@svc/tui/print");
	const printed = await printFrame(await optionsFor(context, opening), size, process.signal);
	const { lines, error, screen, screens } = printed;
	// Who names no screen gets the first one that there is.
	if (asked.screen !== undefined && screen !== asked.screen) {
		throw new UsageError(
			`There is no screen "${asked.screen}" for you at this service. Screens: ${screens.join(", ")}.`,
		);
	}
	if (out.isJson) await out.document({ object: "frame", screen, lines, error });
	else await out.text(lines.join("\n"));
	return error === null ? EXIT.ok : EXIT.failed;
}

function readSide(flag: string, asked: string | undefined, otherwise: number): number {
	const cells = asked === undefined ? otherwise : Number(asked);
	if (Number.isInteger(cells) && cells >= 10 && cells <= 500) return cells;
	throw new UsageError(`--${flag} takes a number from 10 to 500; not "${asked}".`);
}

async function optionsFor(context: Context, { screen, namesScreen, readOnly, theme }: Opening) {
	const { process, commands, globals, credentials, management, appClients } = context;
	const { app, source } = await credentials();
	const profile = await findProfile(process, globals.profile).catch(() => undefined);
	return {
		management: await management(),
		clientOf: await appClients(),
		fetch: process.fetch,
		env: process.env,
		profile: /"(.+)"/.exec(source)?.[1] ?? source,
		app: globals.app ?? app,
		screen,
		...(namesScreen !== undefined && { namesScreen }),
		theme,
		keptTheme: THEME_NAMES.find((name) => name === profile?.profile.theme),
		keepTheme: (chosen: ThemeName | undefined) => keepTheme(profile, chosen),
		readOnly,
		commands: await linesOf(commands),
		browse: process.browse,
		read: (line: string, around: Parameters<typeof readHere>[1]) => readHere(line, around, context),
		save: (url: string, name: string) => savePicture(url, name, context),
	};
}

/** @throws UsageError */
function themeOf(flag: string | undefined, variable: string | undefined): ThemeName | undefined {
	if (flag !== undefined) return oneOf("--theme", flag, THEME_NAMES);
	return variable === undefined || variable === "" ? undefined : oneOf("SVC_THEME", variable, THEME_NAMES);
}

/** @throws Error for people */
async function keepTheme(profile: FoundProfile | undefined, theme: ThemeName | undefined): Promise<string> {
	if (profile === undefined) throw new Error("There is no profile to keep it in; SVC_THEME chooses it too.");
	await saveProfile({ ...profile, baseUrl: profile.profile.base_url }, { theme });
	return profile.name;
}

/** A file that is there stays. @throws Error for people */
async function savePicture(url: string, name: string, context: Context): Promise<string> {
	const bytes = await downloadPicture(url, context);
	await writeFile(resolve(context.process.cwd, name), bytes, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
		throw error.code === "EEXIST" ? new Error(`${name} is there already, and stays as it is.`) : error;
	});
	return name;
}
