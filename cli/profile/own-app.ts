import type { Management } from "@svc/sdk/management";
import type { App } from "@svc/sdk/shapes";
import { say } from "../handover/handover.ts";
import type { Context } from "../kit/command.ts";
import { saveProfile } from "./change.ts";
import { findProfile, hasKeySetting } from "./profile.ts";

type Shown = Pick<App, "id" | "name">;
type Person = Pick<Context, "process" | "globals" | "out">;

/** The App of a person who has one and named none; the profile keeps it. Undefined where there is none, or a choice. */
export async function onlyApp(context: Person, { apps }: Management): Promise<string | undefined> {
	const { data } = await apps.list({ limit: 2, signal: context.process.signal });
	const [only, ...others] = data;
	if (only === undefined || others.length > 0) return undefined;
	await keepApp(context, only);
	return only.id;
}

/** From then on the profile means this App, unless it has one already, or a key, which says which one is meant. */
export async function keepApp(context: Person, { id, name }: Shown): Promise<void> {
	const { globals, process } = context;
	if (globals.dryRun || (hasKeySetting(process) && globals.profile === undefined)) return;
	const found = await findProfile(process, globals.profile);
	if (found === undefined || found.profile.app !== undefined || found.profile.api_key !== undefined) return;
	await saveProfile({ ...found, baseUrl: found.profile.base_url }, { app: id });
	await say(context, `The profile "${found.name}" means the App "${name}" (${id}) from now on; another: --app <id>`);
}
