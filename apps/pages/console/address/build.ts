import type { App, Preset } from "@svc/sdk/shapes";
import type { ConsoleImage } from "../images/listing.ts";
import { type ConsoleVisit, canEdit, clientOf, type Size, type Transformed } from "../kit/visit.ts";
import { type AskedAddress, type Forms, formsOf, plainAddress } from "./forms.ts";
import { type AddressState, stateOf } from "./state.ts";

/** For how long an Editor has addresses signed. */
const LIVES = ["10m", "1h", "1d", "7d", "30d", "366d"];
/** For how long whoever looks sees a picture that is shown by signed addresses alone; a Viewer signs for no longer. */
const BRIEF = "10m";

export interface Built {
	readonly state: AddressState;
	readonly told: Transformed;
	readonly presets: readonly Preset[];
	readonly policy: "open" | "presets" | "signed";
	/** The picture as it will be; undefined where it is as it is, or cannot be. */
	readonly shown: (Partial<Size> & { readonly url: string }) | undefined;
	/** Undefined where the App answers no such address, the state is none, or nobody asked for a signature yet. */
	readonly forms: Forms | undefined;
	/** Of signed addresses; undefined where they need no signature. */
	readonly lives: readonly string[] | undefined;
}

interface Aim {
	readonly app: App;
	readonly image: ConsoleImage;
	/** The user in whose storage it lies. */
	readonly storage: string | undefined;
}

/** What the builder shows. */
export async function build(visit: ConsoleVisit, aim: Aim): Promise<Built> {
	const { app, image } = aim;
	const policy = policyOf(app);
	const asked = stateOf(visit.url);
	// A page that is only looked at asks for no more than it shows.
	const isBuilding = policy !== "open" || asked.preset !== undefined || Object.keys(asked.parameters).length > 0;
	const presets = isBuilding && app.delivery ? await presetsOf(visit, app) : [];
	const lives = policy === "signed" ? (canEdit(app) ? LIVES : [BRIEF]) : undefined;
	const state = known(asked, presets, lives);
	const told = visit.transformed(image, state.parameters);
	const built = { state, told, presets, policy, lives };
	if (state.preset === undefined && Object.keys(told.faults).length > 0)
		return { ...built, shown: undefined, forms: undefined };
	const forms = isAnswered(built) ? await written(visit, aim, built) : undefined;
	return { ...built, forms, shown: await shownOf(visit, aim, built, forms?.url) };
}

async function presetsOf({ api }: ConsoleVisit, { id }: App): Promise<readonly Preset[]> {
	return (await api.apps.of(id).presets.list({ limit: 100 })).data;
}

/** A preset that is gone meanwhile is none; who may not sign for so long signs for as long as they may. */
function known(state: AddressState, presets: readonly Preset[], lives: readonly string[] | undefined): AddressState {
	const preset = presets.find(({ name }) => name === state.preset)?.name;
	const expiresIn = state.expiresIn && (lives?.find((one) => one === state.expiresIn) ?? lives?.[0]);
	return { ...state, preset, expiresIn };
}

type Settled = Pick<Built, "state" | "told" | "policy">;

/** Where presets alone are answered: they, and the sizes that every image has. */
function isAnswered({ policy, state: { parameters, preset, expiresIn } }: Settled): boolean {
	if (policy === "signed") return expiresIn !== undefined;
	return policy === "open" || preset !== undefined || Object.keys(parameters).every((name) => PLAIN.has(name));
}

const PLAIN = new Set(["size", "dl"]);

async function written(visit: ConsoleVisit, aim: Aim, { state, policy }: Settled): Promise<Forms> {
	const { image } = aim;
	const { expiresIn } = state;
	const addressOf = (asked: AskedAddress) =>
		expiresIn === undefined ? Promise.resolve(plainAddress(image, asked)) : sign(visit, aim, asked, expiresIn);
	const isStrict = policy === "presets" || !image.sizes.small;
	return await formsOf({ image, transformed: visit.transformed, addressOf, expiresIn, isStrict }, state);
}

/** @param url of what is answered; else it is signed for a moment */
async function shownOf(visit: ConsoleVisit, aim: Aim, { state, told }: Settled, url?: string): Promise<Built["shown"]> {
	const { parameters, preset } = state;
	if (preset !== undefined) return { url: url ?? (await sign(visit, aim, state, BRIEF)) };
	if (parameters.info !== undefined || Object.keys(parameters).length === 0) return undefined;
	return { ...told.size, url: url ?? (await sign(visit, aim, state, BRIEF)) };
}

/** @throws ApiError */
async function sign(
	visit: ConsoleVisit,
	{ app, image, storage }: Aim,
	{ parameters, preset }: AskedAddress,
	expiresIn: string,
): Promise<string> {
	const { images } = clientOf(visit, app.id, storage);
	const asked = preset === undefined ? parameters : { preset };
	return (await images.sign(image.id, { parameters: asked, expiresIn })).url;
}

/** Older interfaces answer every address. */
function policyOf({ delivery }: App): Built["policy"] {
	return (["presets", "signed"] as const).find((one) => one === delivery) ?? "open";
}

/** The picture as it is, at the largest size that is made ahead; signed for a moment where bare addresses are refused. */
export async function largeOf(visit: ConsoleVisit, aim: Aim): Promise<string> {
	const asked = { parameters: aim.image.sizes.large ? { size: "l" } : {}, preset: undefined };
	return policyOf(aim.app) === "signed" ? await sign(visit, aim, asked, BRIEF) : plainAddress(aim.image, asked);
}
