import type { Management } from "@svc/sdk/management";
import type { Context } from "./command.ts";

/** The App that a command is about, and what belongs to it. */
export interface ChosenApp {
	readonly appId: string;
	readonly app: ReturnType<Management["apps"]["of"]>;
	/** A path below the App's own, as a plan shows it. */
	path(...parts: readonly string[]): string;
}

/** A path below `/v1`, its parts encoded. */
export function pathTo(...parts: readonly string[]): string {
	return `/v1/${parts.map(encodeURIComponent).join("/")}`;
}

export async function chosenApp(context: Context): Promise<ChosenApp> {
	const appId = await context.appId();
	const management = await context.management();
	return { appId, app: management.apps.of(appId), path: (...parts) => pathTo("apps", appId, ...parts) };
}
