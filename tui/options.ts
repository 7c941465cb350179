import type { Client } from "@svc/sdk/client";
import type { Management } from "@svc/sdk/management";
import type { Fetch } from "@svc/sdk/wire/request";
import type { CommandLine, State } from "./state/model.ts";
import type { ScreenName } from "./state/screens.ts";
import { groundOf, type ThemeName, wishedTheme } from "./state/theme.ts";

/** How the service is called. */
export interface Clients {
	readonly management: Management;
	/** The client for what is an App's own: its images, events and upload tickets. */
	clientOf(app: string): Client;
}

/** The options of the dashboard; it reads neither files nor the environment. */
export interface DashboardOptions extends Clients {
	readonly fetch: Fetch;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The source of the credentials, for the header. */
	readonly profile: string;
	readonly app: string | undefined;
	readonly screen: ScreenName;
	/** The person named it. */
	readonly namesScreen?: boolean;
	/** The theme that was asked for; undefined where none was. */
	readonly theme: ThemeName | undefined;
	/** The theme that the profile holds. */
	readonly keptTheme?: ThemeName | undefined;
	/** Keeps a theme, or none, in the profile; the profile's name. @throws Error for people */
	keepTheme(theme: ThemeName | undefined): Promise<string>;
	/** No key changes anything, and no call that changes anything is sent. */
	readonly readOnly: boolean;
	readonly commands: readonly CommandLine[];
	/** What a command of the CLI that only reads prints. @throws Error for people */
	read(
		line: string,
		around: { readonly app: string | undefined; readonly columns: number; readonly rows: number },
	): Promise<readonly string[]>;
	/** Saves the picture at an address under a name where nothing stands yet; the file that it is in now. @throws Error for people */
	save(url: string, name: string): Promise<string>;
	/** Opens an address in a browser; false where there is none. */
	browse(url: string): Promise<boolean>;
}

export function startOf(options: DashboardOptions, size: Pick<State, "columns" | "rows">) {
	const { profile, screen, namesScreen = false, readOnly, commands } = options;
	const theme = wishedTheme(options.env, options.theme, options.keptTheme);
	const colours = { theme, ground: groundOf(options.env) };
	return { ...size, ...colours, profile, screen, namesScreen, readOnly, commands, nowMs: Date.now() };
}
