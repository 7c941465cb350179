import { authorityOf, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { checkParameters } from "./parameters.ts";
import type { Preset } from "./preset.ts";
import type { Delivery } from "./room.ts";

type NewPreset = Pick<Preset, "name" | "parameters">;

/** Of the parameters all: what is not named is no parameter of it any more. */
type PresetChanges = { readonly [Field in keyof NewPreset]?: NewPreset[Field] | undefined };

const PER_APP_MAX = 100;

/** @throws Failure validation_error, naming each parameter that the transform host would ignore */
export async function createPreset(
	room: Delivery,
	teamMember: TeamMember,
	{ name, parameters }: NewPreset,
): Promise<Preset> {
	checkParameters(parameters);
	const id = newId("pre");
	const preset = { id, name, parameters: JSON.stringify(parameters) };
	const refused = await room.presets.create(authorityOf(teamMember, "admin"), preset, PER_APP_MAX);
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "taken") throw taken();
	if (refused === "full") throw invalid("presets", `cannot be more: this App has ${PER_APP_MAX} already`);
	return found(await room.presets.find(teamMember.app.pk, id));
}

/** @throws Failure not_found; validation_error, naming each parameter that the transform host would ignore */
export async function changePreset(
	room: Delivery,
	teamMember: TeamMember,
	id: string,
	{ name, parameters }: PresetChanges,
): Promise<Preset> {
	const preset = await getPreset(room, teamMember, id);
	if (parameters) checkParameters(parameters);
	const kept = parameters && JSON.stringify(parameters);
	const refused = await room.presets.change(authorityOf(teamMember, "admin"), preset, { name, parameters: kept });
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "taken") throw taken();
	return await getPreset(room, teamMember, id);
}

/** Its addresses are answered no more. @throws Failure not_found */
export async function deletePreset(room: Delivery, teamMember: TeamMember, id: string): Promise<void> {
	const preset = await getPreset(room, teamMember, id);
	const refused = await room.presets.delete(authorityOf(teamMember, "admin"), preset);
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "gone") throw new Failure("not_found");
}

async function getPreset(room: Delivery, { app }: TeamMember, id: string): Promise<Preset> {
	return found(isId("pre", id) ? await room.presets.find(app.pk, id) : undefined);
}

function taken(): Failure {
	return invalid("name", "is the name of another preset of this App");
}
